"""Edits of a source file that put what was read of each kernel in the place of its body.

The host code stays as it is: the original kernel keeps its head and calls the printed function of
the instantiation that it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from migrate.backends.clike_dialect import Unprintable
from migrate.backends.cuda.dialect import BITS, CudaDialect
from migrate.backends.cuda.module_text import ModulePrinter
from migrate.core.edits import Edit
from migrate.ir.kernel import Kernel, TemplateArg
from migrate.ir.program import Definition, DefinitionKind, SourceFile, SourceUnit
from migrate.ir.types import Pointer, Scalar, Struct

_WORD = re.compile(r"[A-Za-z_]\w*")
_SUFFIX = re.compile(r"_\d+$")


@dataclass(frozen=True, slots=True)
class Replaced:
    """Edits of one file. ``kernels`` are the symbols that now run as printed, ``left`` those whose
    original body stays, each with the reason."""

    edits: tuple[Edit, ...]
    kernels: tuple[str, ...]
    left: tuple[tuple[str, str], ...]


def replace_bodies(unit: SourceUnit, file: SourceFile, namespace: str) -> Replaced:
    """Print every kernel that is defined in ``file`` of the unit."""
    visible = frozenset(
        s for d in unit.definitions if d.kind is DefinitionKind.VARIABLE for s in d.symbols
    )
    kernels = {k.symbol: k for k in unit.module.kernels}
    printers: dict[str, ModulePrinter] = {}
    edits: list[Edit] = []
    done: list[str] = []
    left: list[tuple[str, str]] = []
    for d in unit.definitions:
        if d.kind is not DefinitionKind.KERNEL or d.prototype or not d.symbols:
            continue
        if d.span.file != str(file.path):
            continue
        if b"__global__" not in file.text[d.span.start : d.span.end]:
            left += [(symbol, "its head comes out of a macro") for symbol in d.symbols]
            continue
        around = d.qualified.rpartition("::")[0]
        printer = printers.setdefault(around, ModulePrinter(unit.module, namespace, visible))
        own = [kernels[s] for s in d.symbols if s in kernels]
        later = _declared_after(d, unit)
        texts: list[str] = []
        good: list[Kernel] = []
        for kernel in own:
            reason = _reason(kernel, len(own), d, later)
            if not reason:
                try:
                    texts.append(printer.kernel(kernel))
                    good.append(kernel)
                except (Unprintable, KeyError) as fault:
                    reason = str(fault)
            if reason:
                left.append((kernel.symbol, reason))
        if good:
            edits += _edits(d, file, texts, [_case(k, d, namespace, unit) for k in good])
            done += [k.symbol for k in good]
    return Replaced(tuple(edits), tuple(done), tuple(left))


def _reason(kernel: Kernel, count: int, d: Definition, later: frozenset[str]) -> str:
    """Why a kernel's body cannot be replaced; empty if it can."""
    if "..." in d.signature:
        return "it has a parameter pack"
    for a in kernel.template_args:
        if count > 1 and not _testable(a):
            return f"template argument {a.name} = {a.value} has no spelling"
        if later & set(_WORD.findall(a.value)):
            return f"template argument {a.name} = {a.value} is declared after the kernel"
    return ""


def _declared_after(d: Definition, unit: SourceUnit) -> frozenset[str]:
    """Structs that are not known yet where a kernel is defined."""
    return frozenset(
        x.name
        for x in unit.definitions
        if x.kind is DefinitionKind.STRUCT
        and (x.span.file != d.span.file or x.span.start > d.span.start)
        and not (x.span.file != d.span.file and d.span.file == str(unit.main.path))
    )


def _testable(a: TemplateArg) -> bool:
    return a.value[:1] != "<" and "(" not in a.value


def _edits(d: Definition, file: SourceFile, texts: list[str], cases: list[str]) -> list[Edit]:
    """The printed functions before a definition, and the choice between them in its body."""
    whole = file.text[d.span.start : d.span.end]
    body = whole.find(b"{", _head_end(whole, len(d.template_head.encode())))
    before = "\n" + "".join(texts)
    ways = [c for c in cases if c.startswith("if")]
    edits = [Edit(d.span.start, d.span.start, before.encode())]
    if len(ways) < len(cases):
        edits.append(Edit(d.span.start + body, d.span.end, f"{{ {cases[0]} }}".encode()))
        return edits
    choice = "{ " + " else ".join(ways) + " else "
    edits.append(Edit(d.span.start + body, d.span.start + body, choice.encode()))
    edits.append(Edit(d.span.end, d.span.end, b" }"))
    return edits


def _head_end(whole: bytes, start: int) -> int:
    """Where a kernel's parameter list begins, behind its attributes."""
    found = whole.find(b"(", whole.find(b"__global__", start))
    return max(found, start)


def _case(kernel: Kernel, d: Definition, namespace: str, unit: SourceUnit) -> str:
    call = f"{namespace}::{kernel.symbol}({', '.join(_arguments(kernel, d, namespace, unit))});"
    tests = [_test(a) for a in kernel.template_args if a.name in d.template_params]
    alone = sum(s == kernel.symbol or s in _symbols(unit) for s in d.symbols) == 1
    if not tests or (alone and not all(_testable(a) for a in kernel.template_args)):
        return f"{{ {call} }}"
    return f"if constexpr ({' && '.join(tests)}) {{ {call} }}"


def _symbols(unit: SourceUnit) -> frozenset[str]:
    return frozenset(k.symbol for k in unit.module.kernels)


def _test(a: TemplateArg) -> str:
    if re.fullmatch(r"-?\d+", a.value):
        return f"(long long)({a.name}) == {a.value}ll"
    return f"__is_same({a.name}, {a.value})"


def _arguments(kernel: Kernel, d: Definition, namespace: str, unit: SourceUnit) -> tuple[str, ...]:
    dialect = CudaDialect(unit.module, namespace)
    words = set(_WORD.findall(d.signature))
    found: list[str] = []
    for p in kernel.params:
        name = p.name if p.name in words else _SUFFIX.sub("", p.name)
        match p.type:
            case _ if name not in words:  # a parameter without a name, which nothing uses
                found.append("{}")
            case Pointer() | Scalar():
                kind = re.sub(r"\b__restrict__\b", "", _qualified(dialect, p.type, unit))
                found.append(f"({kind}){name}")
            case Struct():
                found.append(f"{namespace}::{BITS}<{_qualified(dialect, p.type, unit)}>({name})")
            case _:
                found.append(name)
    return tuple(found)


def _qualified(dialect: CudaDialect, kind: Pointer | Scalar | Struct, unit: SourceUnit) -> str:
    """A type as it is spelled outside of the printed namespace."""
    text = dialect.type(kind)
    for s in unit.module.structs:
        text = re.sub(rf"(?<![\w:]){re.escape(s.name)}\b", f"{dialect.namespace}::{s.name}", text)
    return text
