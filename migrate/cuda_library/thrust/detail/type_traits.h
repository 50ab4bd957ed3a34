// Traits are those of the standard library.
#pragma once

#include <type_traits>

namespace thrust {
namespace detail {
using std::enable_if;
using std::false_type;
using std::integral_constant;
using std::is_convertible;
using std::is_same;
using std::true_type;
}  // namespace detail
}  // namespace thrust
