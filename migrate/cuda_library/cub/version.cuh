// The version that this is modelled on.
#pragma once

#define CUB_VERSION 200400
#define CUB_MAJOR_VERSION 2
#define CUB_MINOR_VERSION 4
#define CUB_SUBMINOR_VERSION 0
