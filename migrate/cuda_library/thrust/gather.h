// Copies through a map of places.
#pragma once

#include "detail/config.h"

namespace thrust {

template <class Map, class In, class Out>
THRUST_HD Out gather(Map first, Map last, In in, Out out) {
  for (; first != last; ++first, ++out) *out = *(in + static_cast<std::ptrdiff_t>(*first));
  return out;
}
template <class Map, class Stencil, class In, class Out, class Choose>
THRUST_HD Out gather_if(Map first, Map last, Stencil stencil, In in, Out out, Choose choose) {
  for (; first != last; ++first, ++stencil, ++out)
    if (choose(*stencil)) *out = *(in + static_cast<std::ptrdiff_t>(*first));
  return out;
}
template <class Map, class Stencil, class In, class Out>
THRUST_HD Out gather_if(Map first, Map last, Stencil stencil, In in, Out out) {
  for (; first != last; ++first, ++stencil, ++out)
    if (*stencil) *out = *(in + static_cast<std::ptrdiff_t>(*first));
  return out;
}
template <class In, class Map, class Out>
THRUST_HD void scatter(In first, In last, Map map, Out out) {
  for (; first != last; ++first, ++map) *(out + static_cast<std::ptrdiff_t>(*map)) = *first;
}
template <class In, class Map, class Stencil, class Out, class Choose>
THRUST_HD void scatter_if(In first, In last, Map map, Stencil stencil, Out out, Choose choose) {
  for (; first != last; ++first, ++map, ++stencil)
    if (choose(*stencil)) *(out + static_cast<std::ptrdiff_t>(*map)) = *first;
}
template <class In, class Map, class Stencil, class Out>
THRUST_HD void scatter_if(In first, In last, Map map, Stencil stencil, Out out) {
  for (; first != last; ++first, ++map, ++stencil)
    if (*stencil) *(out + static_cast<std::ptrdiff_t>(*map)) = *first;
}
THRUST_WITH_POLICY(gather)
THRUST_WITH_POLICY(gather_if)
THRUST_WITH_POLICY(scatter)
THRUST_WITH_POLICY(scatter_if)

}  // namespace thrust
