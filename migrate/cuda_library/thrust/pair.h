// Pairs are those of the standard library.
#pragma once

#include <utility>

#include "detail/config.h"

namespace thrust {

using std::get;
using std::make_pair;
using std::pair;

}  // namespace thrust
