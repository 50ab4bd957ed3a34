"""Names that are legal in the generated Python and in the C that TileLang prints from it."""

from __future__ import annotations

import keyword
from collections.abc import Iterable

_TAKEN = frozenset({
    # the generated module's own names
    "T", "torch", "tilelang", "functools", "NamedTuple", "grid", "block", "print", "range",
    # builtins that helper code of the catalogue uses
    "int", "float", "bool", "len", "min", "max", "abs", "tuple", "list", "dict", "str", "type",
    # C and C++ words, since TileLang keeps names when it prints C
    "auto", "case", "char", "const", "default", "do", "double", "enum", "extern", "goto", "inline",
    "long", "register", "restrict", "short", "signed", "sizeof", "static", "struct", "switch",
    "typedef", "union", "unsigned", "void", "volatile", "half", "half_t", "this", "new", "delete",
    "template", "typename", "operator", "namespace", "private", "public", "protected", "virtual",
    "friend", "using", "asm", "bit_and", "bit_or", "xor", "compl", "and_eq", "or_eq", "not_eq",
    "NULL", "NAN", "INFINITY", "main", "y0", "y1", "yn", "j0", "j1", "jn", "gamma", "index",
    "signbit", "isnan", "isinf", "fma", "exp", "log", "sin", "cos", "tan", "sqrt", "pow", "floor",
    "ceil", "round", "trunc", "hypot", "erf", "tanh", "sinh", "cosh", "asin", "acos", "atan",
    "exp2", "log2", "log10", "log1p", "rsqrt", "fabs", "fmod", "ldexp", "rint", "remainder",
})  # fmt: skip


class PythonNames:
    """Maps IR names to Python names, the same ones wherever that is legal."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._map: dict[str, str] = {}
        self._used = set(reserved)

    def of(self, name: str) -> str:
        """The Python name of an IR variable."""
        if name not in self._map:
            self._map[name] = self.fresh(name)
        return self._map[name]

    def call_it(self, name: str, python: str) -> None:
        """Give an IR variable a name that stands already."""
        self._map[name] = python

    def fresh(self, wanted: str) -> str:
        """A name that nothing else has."""
        base = wanted.lstrip("_") or "value"
        if base[0].isdigit():
            base = f"v{base}"
        if keyword.iskeyword(base) or base in _TAKEN:
            base += "_"
        name, count = base, 1
        while name in self._used:
            count += 1
            name = f"{base}_{count}"
        self._used.add(name)
        return name
