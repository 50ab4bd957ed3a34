"""The passes that bring a kernel to normal form, in order. Read this first.

Normal form: one function without calls of device functions; structured control without ``return``,
``switch`` and ``do``; scalar variables and arrays of scalars; every access to memory an element of
a flat scalar buffer that a parameter names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from migrate.core.diagnostics import Sink
from migrate.ir.kernel import Kernel, Module
from migrate.lifting.control import structure_control
from migrate.lifting.dynamic_shared import one_dynamic_array
from migrate.lifting.flatten import flatten_memory
from migrate.lifting.fold import fold_constants
from migrate.lifting.inline import inline_functions
from migrate.lifting.local_words import words_of_locals
from migrate.lifting.pointer_choice import choose_buffers
from migrate.lifting.pointers import resolve_pointers
from migrate.lifting.returns import guard_returns
from migrate.lifting.scalarise import scalarise

Run = Callable[[Kernel, Module, Sink], Kernel]


@dataclass(frozen=True, slots=True)
class Pass:
    """A step: a pure function of the kernel but for the diagnostics that it reports.

    Raises :class:`migrate.lifting.refusal.Refused` for what it cannot bring to its form.
    """

    name: str
    run: Run


NORMAL_FORM: tuple[Pass, ...] = (
    Pass("control", structure_control),
    Pass("inline", inline_functions),
    Pass("dynamic shared", one_dynamic_array),
    Pass("returns", guard_returns),
    Pass("local words", words_of_locals),
    Pass("scalarise", scalarise),
    Pass("pointer choice", choose_buffers),
    Pass("pointers", resolve_pointers),
    Pass("flatten", flatten_memory),
    Pass("fold", fold_constants),
)
