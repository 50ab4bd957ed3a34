// cuda::std is the standard library under another name.
#pragma once

namespace std {}

namespace cuda {
namespace std {
using namespace ::std;
}  // namespace std
}  // namespace cuda
