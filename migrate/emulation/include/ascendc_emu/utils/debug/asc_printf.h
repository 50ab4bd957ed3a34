// printf, assert and dumps come with the API headers.
#pragma once
