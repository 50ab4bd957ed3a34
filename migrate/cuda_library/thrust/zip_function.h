#pragma once
#include "iterator/zip_iterator.h"
