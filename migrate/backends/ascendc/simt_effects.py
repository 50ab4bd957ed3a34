"""``printf``, ``assert``, ``__trap`` and ``__nanosleep`` in code for Ascend 950.

From the vendor's pages "printf", "assert", "__trap": a conversion of ``printf`` that the page does
not list is refused, since the device formats the text itself and would print something else.
"""

from __future__ import annotations

import re

from migrate.backends.ascendc.soft_double import check_printed
from migrate.backends.clike_dialect import Prec, Spelled, refuse
from migrate.core.codes import target
from migrate.ir.expr import Text
from migrate.ir.simt import Effect

_CONVERSION = re.compile(
    r"%(?:%|[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+)?)?(hh?|ll?|[jLqtz])?([a-zA-Z]))"
)
_INTEGERS = frozenset("dixu")
_PLAIN = frozenset("fFsp")


def unknown_conversion(text: str) -> str:
    """The first conversion of a format that the device does not have; nothing if all are known."""
    for hit in _CONVERSION.finditer(text):
        length, letter = hit.groups()
        if letter is None:
            continue
        lengths = ("", "l", "ll") if letter in _INTEGERS else ("", "l") if letter in "fF" else ("",)
        if letter not in _INTEGERS | _PLAIN or (length or "") not in lengths:
            return hit.group(0)
    return ""


def effect_text(s: Effect, args: tuple[Spelled, ...]) -> tuple[str, ...]:
    """The statement of a call for its effect. Raises a refusal for one without a counterpart."""
    match s.name:
        case "printf":
            check_printed(s)
            first = s.args[0]
            unknown = unknown_conversion(first.value) if isinstance(first, Text) else ""
            if unknown:
                raise refuse(target.NO_INTRINSIC, f"printf with {unknown}", s.span)
            shown = [a.at(Prec.ASSIGN) for a in args]
            # For a floating conversion C's `l` means nothing.
            shown[0] = re.sub(r"(%[-+ #0-9.*]*)l(?=[fF])", r"\1", shown[0])
            return (f"printf({', '.join(shown)});",)
        case "assert":
            return (f"assert({args[0].at(Prec.ASSIGN)});",)
        case "__trap":
            return ("__trap();",)
        case "__nanosleep":
            # CUDA lets a thread sleep for any time from zero to twice of what is asked for.
            return ()
        case _:
            raise refuse(target.NO_INTRINSIC, f"no rule covers {s.name}", s.span)
