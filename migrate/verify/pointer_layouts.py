"""Where pointers lie in what kernels are given, from the types that the front end knows.

The recorder follows pointers through structs, arrays of pointers and device variables by this
table (``cuda_emu/emu/capture_types.h`` describes its words). An integer is never one of them,
whatever its value. In a union that holds a pointer only the value says what it is: a kernel that is
given one is left out of the table, and the recorder looks for addresses.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from migrate.ir.kernel import Field, Module
from migrate.ir.program import Program
from migrate.ir.types import Array, Pointer, Struct, Type
from migrate.verify.sections import size_of

_MOST_ELEMENTS = 4096
"""Of an array by value; a longer one holds no pointers in any program known."""


@dataclass(slots=True)
class _Table:
    """Types by number; a pointee that is being described already has its number."""

    lines: list[str] = field(default_factory=list)
    numbers: dict[tuple[int, Type], str] = field(default_factory=dict)

    def number(self, kind: Type, module: Module) -> str:
        """The number of a type, or ``-`` for one without pointers."""
        key = (id(module), kind)
        if key in self.numbers:
            return self.numbers[key]
        found = _pointers(kind, module)
        if not found:
            return "-"
        self.numbers[key] = str(len(self.numbers))
        number = self.numbers[key]
        inner = " ".join(f"{at}:{self.number(pointee, module)}" for at, pointee in found)
        self.lines.append(f"type {number} {size_of(kind, module)} {inner}")
        return number


def _pointers(kind: Type, module: Module) -> tuple[tuple[int, Type], ...]:
    """(byte offset, pointee) of every pointer that a value of the type holds itself."""
    match kind:
        case Pointer(pointee):
            return ((0, pointee),)
        case Array(element, length) if length <= _MOST_ELEMENTS:
            size = size_of(element, module)
            inner = _pointers(element, module)
            return tuple((i * size + at, p) for i in range(length) for at, p in inner)
        case Struct(name):
            fields = _fields(name, module)
            return tuple((f.offset + at, p) for f in fields for at, p in _pointers(f.type, module))
        case _:
            return ()


def _fields(name: str, module: Module) -> tuple[Field, ...]:
    """A struct's members; none for one that is only declared, which nothing can be read from."""
    known = next((s for s in module.structs if s.name == name), None)
    return () if known is None else known.fields


def _ambiguous(kind: Type, module: Module) -> bool:
    """Whether a value of the type holds a union with a pointer in it."""
    match kind:
        case Array(element, _):
            return _ambiguous(element, module)
        case Struct(name):
            known = next((s for s in module.structs if s.name == name), None)
            if known is not None and known.union:
                return bool(_pointers(kind, module))
            return any(_ambiguous(f.type, module) for f in _fields(name, module))
        case _:
            return False


def layouts_text(program: Program) -> str:
    """The table of a program's kernels and device variables, empty when it has neither.

    Of two device variables with one name and different types neither is followed.
    """
    table = _Table()
    named: list[str] = []
    for unit, kernel in program.kernels:
        if any(_ambiguous(p.type, unit.module) for p in kernel.params):
            continue
        types = " ".join(table.number(p.type, unit.module) for p in kernel.params)
        named.append(f"kernel {kernel.mangled} {types}".rstrip())
    variables: dict[str, set[str]] = {}
    for unit in program.units:
        for v in unit.module.globals:
            variables.setdefault(v.name, set()).add(table.number(v.type, unit.module))
    for name, types_of in sorted(variables.items()):
        if len(types_of) == 1:
            named.append(f"global {name} {next(iter(types_of))}")
    return "".join(f"{line}\n" for line in (*table.lines, *named))
