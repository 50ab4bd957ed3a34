// Part of cuFFT: transforms over several devices are not there.
#pragma once
#include "cufft.h"
