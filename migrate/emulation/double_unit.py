"""Software double precision by the double unit of the CPU, for runs of whole programs.

Generated code for a chip without double precision computes on integers (``float64.h``), some fifty
times slower than a double unit. A CPU that stands in for the chip has that unit. Addition,
multiplication, division, square root and fused multiply-add are correctly rounded in both, to
nearest even and with subnormals, and a correctly rounded result that is no NaN has one bit pattern:
so the unit's result is taken, and where it is a NaN, whose bits IEEE 754 leaves open, the software
routine is called after all. Kernels are still replayed with the software routines themselves;
this is for what follows, the many launches of a whole program.
"""

from __future__ import annotations

from functools import lru_cache

from migrate.core.resources import data_dir

SOFTWARE_DOUBLE = "float64.h"
"""The generated file that holds the routines."""

# The runtime refuses the word `double` in device code.
_BITS = "__builtin_bit_cast(decltype(1.0), {}.bits)"
_HEAD = "__aicore__ inline Float64 {name}({parameters})\n{{"
_ROUTINES = (
    ("operator+", "ab", "{a} + {b}"),
    ("operator*", "ab", "{a} * {b}"),
    ("operator/", "ab", "{a} / {b}"),
    ("sqrt", "x", "__builtin_sqrt({x})"),
    ("fma", "abc", "__builtin_fma({a}, {b}, {c})"),
)
"""Name of a routine, its operands, and the expression of the double unit."""


def by_double_unit(text: bytes) -> bytes:
    """``float64.h`` with the routines above computed by the double unit.

    A text that is not the product's own (someone changed it) is given back as it is: what was
    changed is what has to run.
    """
    return _changed(text) if text == _own_text() else text


@lru_cache(maxsize=1)
def _own_text() -> bytes:
    return (data_dir("templates") / "ascendc" / SOFTWARE_DOUBLE).read_bytes()


@lru_cache(maxsize=1)
def _changed(text: bytes) -> bytes:
    changed = text.decode("utf-8")
    for number, (name, operands, expression) in enumerate(_ROUTINES):
        parameters = ", ".join(f"Float64 {x}" for x in operands)
        head = _HEAD.format(name=name, parameters=parameters)
        if changed.count(head) != 1:
            raise ValueError(f"{SOFTWARE_DOUBLE} has no single {name}")
        software = f"by_software_{number}"
        declared = f"__aicore__ inline Float64 {software}({parameters})"
        value = expression.format(**{x: _BITS.format(x) for x in operands})
        body = (
            f"    const auto unit = {value};\n"
            "    if (unit == unit) return literal(__builtin_bit_cast(uint64_t, unit));\n"
            f"    return {software}({', '.join(operands)});\n}}\n"
        )
        changed = changed.replace(head, f"{declared};\n{head}\n{body}{declared}\n{{")
    return changed.encode("utf-8")
