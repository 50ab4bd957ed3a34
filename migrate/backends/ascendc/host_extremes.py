"""CUDA's ``min`` and ``max`` of host code, which its headers declare outside of namespaces."""

from __future__ import annotations

import re

from migrate.rules.model import Prelude

_NAMES = {"min": "hostMin", "max": "hostMax"}
_STANDARD = re.compile(rb"\busing\s+(?:namespace\s+std\b|std\s*::\s*(min|max)\b)")
_OWN = re.compile(
    rb"#\s*define\s+(min|max)\b"
    rb"|(?:(?<!return)(?<=\w)|(?<=\w[>&*]))\s+(min|max)\s*\("
)
"""A macro, or a declaration: a type in front of the name."""

EXTREMES = Prelude(
    "hostMin",
    """// CUDA's min and max of host code: in the common type, and a NaN loses.
template <class Left, class Right>
inline std::common_type_t<Left, Right> hostMin(Left a, Right b)
{
    using Both = std::common_type_t<Left, Right>;
    if (std::is_floating_point<Both>::value) {
        return static_cast<Both>(std::fmin(static_cast<Both>(a), static_cast<Both>(b)));
    }
    const Both left = static_cast<Both>(a), right = static_cast<Both>(b);
    return right < left ? right : left;
}
template <class Left, class Right>
inline std::common_type_t<Left, Right> hostMax(Left a, Right b)
{
    using Both = std::common_type_t<Left, Right>;
    if (std::is_floating_point<Both>::value) {
        return static_cast<Both>(std::fmax(static_cast<Both>(a), static_cast<Both>(b)));
    }
    const Both left = static_cast<Both>(a), right = static_cast<Both>(b);
    return left < right ? right : left;
}
""",
)


def cuda_extremes(texts: tuple[bytes, ...]) -> frozenset[str]:
    """Those of ``min`` and ``max`` that are CUDA's in a program: it has none of its own."""
    given: set[str] = set()
    for text in texts:
        for hit in _STANDARD.finditer(text):
            given |= {hit.group(1).decode()} if hit.group(1) else set(_NAMES)
        for hit in _OWN.finditer(text):
            given |= {g.decode() for g in hit.groups() if g}
    return frozenset(_NAMES) - given


def host_extreme(name: str) -> str:
    """The helper that stands for ``min`` or ``max``."""
    return _NAMES[name]
