"""The host side of a PyTorch extension as Python functions of the same names.

They stand behind the kernels in the same module, so that importing the module gives what importing
the compiled extension gave. Kernels take tensors of the CPU as well (TileLang's ``c`` target), so
checks for a CUDA tensor hold there too; a CPU operator is registered beside each CUDA one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from migrate.backends.tilelang.extension_values import NoPython, ValueWriter, without_conversion
from migrate.backends.tilelang.names import PythonNames
from migrate.backends.tilelang.precedence import NOT
from migrate.core.codes import reading
from migrate.core.diagnostics import Diagnostic, Outcome
from migrate.ir.host_code import (
    Extension,
    HostAssign,
    HostCheck,
    HostConstant,
    HostConvert,
    HostCount,
    HostEvaluate,
    HostExpr,
    HostFunction,
    HostGuard,
    HostIf,
    HostJump,
    HostKind,
    HostLaunch,
    HostLiteral,
    HostParam,
    HostReturn,
    HostSequence,
    HostStmt,
    HostSwitch,
    HostType,
    HostVariable,
    HostWhile,
    PythonBinding,
)
from migrate.ir.host_walk import mentioned, walk

INDENT = "    "

_ANNOTATIONS = {
    HostKind.VOID: "None", HostKind.BOOL: "bool", HostKind.INTEGER: "int", HostKind.FLOAT: "float",
    HostKind.TEXT: "str", HostKind.TENSOR: "torch.Tensor", HostKind.OPTIONAL: "Any",
    HostKind.DTYPE: "torch.dtype", HostKind.DEVICE: "torch.device",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Launcher:
    """How a kernel is called: its name in the module, and whether it takes dynamic shared memory.

    ``plain`` is false where a parameter is a struct or a device variable, which host code in Python
    does not have.
    """

    entry: str
    takes_shared: bool
    plain: bool


@dataclass(frozen=True, slots=True)
class ExtensionText:
    """Lines to append to the module, and what could not be translated."""

    lines: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]


def exported_names(extension: Extension) -> tuple[str, ...]:
    """The names that the module must have, bound ones first."""
    return (
        *dict.fromkeys([b.name for b in extension.python] + [f.name for f in extension.functions]),
    )


def write_extension(
    extension: Extension, launchers: Mapping[str, Launcher], names: PythonNames
) -> ExtensionText:
    """The functions, then their bindings. ``names`` are those of the module."""
    return _Writer(extension, launchers, names).write()


@dataclass(slots=True)
class _Writer:
    extension: Extension
    launchers: Mapping[str, Launcher]
    names: PythonNames
    own: dict[str, str] = field(default_factory=dict)
    constants: dict[str, HostConstant] = field(default_factory=dict)
    found: list[Diagnostic] = field(default_factory=list)

    def write(self) -> ExtensionText:
        bound = {b.name for b in self.extension.python}
        for f in self.extension.functions:
            taken = f.name in bound or f.name in self.own.values()
            self.own[f.key] = self.names.fresh(f.name) if taken else f.name
        lines: list[str] = []
        for f in self.extension.functions:
            lines += ["", "", *self._function(f)]
        lines += self._python()
        lines += self._operators()
        head = [f"{c.name} = {c.value!r}" for c in self.constants.values()]
        return ExtensionText(
            tuple([*(["", ""] if head else []), *head, *lines]),
            (*self.extension.diagnostics, *self.found),
        )

    # --- functions

    def _function(self, f: HostFunction) -> list[str]:
        if f.body is None:
            assert f.refused is not None
            return self._stub(f, f.refused)
        constants = dict(self.constants)
        writer = _FunctionWriter(f, self.launchers, ValueWriter(self.own, constants))
        try:
            lines = [*self._head(f), *writer.body()]
        except NoPython as refusal:
            cause = f"{f.name}: {refusal}"
            return self._stub(f, Diagnostic(reading.HOST_CONSTRUCT, Outcome.WEAKER, cause, f.span))
        self.constants.update(constants)
        return lines

    def _head(self, f: HostFunction) -> Iterator[str]:
        params = ", ".join(self._param(p) for p in f.params)
        yield f"def {self.own[f.key]}({params}) -> {_annotation(f.result)}:"
        where = f"C++ function ``{f.name}``, {f.span.file}:{f.span.line}."
        comment = [line.strip().lstrip("/*! ").rstrip("*/ ") for line in f.comment.splitlines()]
        text = " ".join(line for line in comment if line).replace("\\", "\\\\").replace('"""', "''")
        if not text:
            yield f'{INDENT}"""{where}"""'
            return
        yield f'{INDENT}"""{text}'
        yield ""
        yield f"{INDENT}{where}"
        yield f'{INDENT}"""'

    def _param(self, p: HostParam) -> str:
        default = "" if p.default is None else f" = {ValueWriter(self.own, {}).text(p.default)}"
        return f"{p.name}: {_annotation(p.type)}{default}"

    def _stub(self, f: HostFunction, refused: Diagnostic) -> list[str]:
        self.found.append(refused)
        return [
            f"def {self.own[f.key]}(*args: Any, **kwargs: Any) -> Any:",
            f'{INDENT}"""C++ function ``{f.name}``, not migrated."""',
            f"{INDENT}raise NotImplementedError({refused.one_line()!r})",
        ]

    # --- bindings

    def _python(self) -> list[str]:
        lines: list[str] = []
        functions = {f.key: f for f in self.extension.functions}
        for b in self.extension.python:
            lines += ["", "", *self._binding(b, functions[b.key])]
        return lines

    def _binding(self, b: PythonBinding, f: HostFunction) -> Iterator[str]:
        target = self.own[b.key]
        if not b.args and not b.doc:
            yield f"{b.name} = {target}"
            return
        writer = ValueWriter(self.own, {})
        params = [p.name for p in f.params]
        given = [
            name if value is None else f"{name}={writer.text(value)}" for name, value in b.args
        ] or params
        yield f"def {b.name}({', '.join(given)}):"
        yield f'{INDENT}"""{b.doc or f.name}"""'
        passed = [name for name, _ in b.args] or params
        yield f"{INDENT}return {target}({', '.join(passed)})"

    def _operators(self) -> list[str]:
        """Operators of ``torch.ops``; a CUDA implementation serves CPU tensors as well."""
        lines: list[str] = []
        opened: dict[str, str] = {}
        schemas = {(o.library, o.name): o.schema for o in self.extension.operators if o.schema}
        for o in self.extension.operators:
            if o.library not in opened:
                opened[o.library] = self.names.fresh(f"{o.library}_library")
                lines += [
                    "",
                    "",
                    f'{opened[o.library]} = torch.library.Library("{o.library}", "FRAGMENT")',
                ]
            library = opened[o.library]
            if o.schema:
                schema = o.schema.split("::")[-1] if "::" in o.schema.split("(")[0] else o.schema
                lines.append(f"{library}.define({schema!r})")
            if o.key:
                key = o.dispatch or "CompositeExplicitAutograd"
                called = _with_defaults(self.own[o.key], schemas.get((o.library, o.name), ""))
                if key == "CUDA":
                    lines.append('for key in ("CUDA", "CPU"):')
                    lines.append(f'{INDENT}{library}.impl("{o.name}", {called}, key)')
                else:
                    lines.append(f'{library}.impl("{o.name}", {called}, "{key}")')
        return lines


@dataclass(slots=True)
class _FunctionWriter:
    function: HostFunction
    launchers: Mapping[str, Launcher]
    values: ValueWriter

    def body(self) -> list[str]:
        """The body's lines, indented once."""
        statements = self.function.body or ()
        self._learn(statements)
        return list(self._block(statements, 1))

    def _learn(self, statements: tuple[HostStmt, ...]) -> None:
        """Variables that hold one value: a scalar type stands for itself, a size has bounds."""
        set_to: dict[str, set[HostExpr | None]] = {}
        for s in walk(statements):
            if isinstance(s, HostAssign | HostCount):
                value = s.value if isinstance(s, HostAssign) and not s.op else None
                set_to.setdefault(s.name, set()).add(value)
        changing = {n for n, values in set_to.items() if len(values) > 1}
        changing |= {p.name for p in self.function.params if p.name in set_to}
        for s in walk(statements):
            if isinstance(s, HostCount) and s.name not in changing:
                self._bound(s.name, s.first)
            if not isinstance(s, HostAssign) or s.op or s.name in changing:
                continue
            if s.value.type.kind is HostKind.DTYPE and not mentioned(s.value) & changing:
                self.values.values[s.name] = s.value
            elif s.value.type.kind is HostKind.INTEGER:
                self._bound(s.name, s.value)
                if self.values.is_small(s.value):
                    self.values.small.add(s.name)

    def _bound(self, name: str, value: HostExpr) -> None:
        least = self.values.least(value)
        if least is not None:
            self.values.lower[name] = least

    def _block(self, statements: Iterable[HostStmt], depth: int) -> Iterator[str]:
        lines = [x for s in statements for x in self._statement(s, depth)]
        yield from lines or [f"{INDENT * depth}pass"]

    def _statement(self, s: HostStmt, depth: int) -> Iterator[str]:
        pad = INDENT * depth
        text = self.values.text
        match s:
            case HostAssign(name, op, value):
                if name not in self.values.values:
                    yield from self._assign(name, op, value, pad)
            case HostEvaluate(value):
                if not (isinstance(value, HostLiteral) and value.value is None):
                    yield pad + text(value)
            case HostIf(condition, then, other):
                yield f"{pad}if {text(condition)}:"
                yield from self._block(then, depth + 1)
                if other:
                    yield f"{pad}else:"
                    yield from self._block(other, depth + 1)
            case HostWhile(condition, body):
                yield f"{pad}while {text(condition)}:"
                yield from self._block(body, depth + 1)
            case HostCount(name, first, end, step, body):
                parts = [text(first), text(end)] if text(first) != "0" or step != 1 else [text(end)]
                parts += [str(step)] if step != 1 else []
                yield f"{pad}for {name} in range({', '.join(parts)}):"
                yield from self._block(body, depth + 1)
            case HostSwitch():
                yield from self._switch(s, depth)
            case HostReturn(value):
                yield f"{pad}return" if value is None else f"{pad}return {text(value)}"
            case HostJump(is_break):
                yield f"{pad}{'break' if is_break else 'continue'}"
            case HostCheck(condition, message):
                yield from self._check(condition, message, pad)
            case HostGuard(device, body):
                yield f"{pad}with working_on({text(device)}):"
                yield from self._block(body, depth + 1)
            case HostLaunch():
                yield from self._launch(s, pad)

    def _assign(self, name: str, op: str, value: HostExpr, pad: str) -> Iterator[str]:
        if op in ("/", "%") and value.type.kind is HostKind.INTEGER:
            raise NoPython(f"{op}= on an integer")
        yield f"{pad}{name} {op}= {self.values.text(value)}"

    def _switch(self, s: HostSwitch, depth: int) -> Iterator[str]:
        pad = INDENT * depth
        yield f"{pad}match {self.values.text(s.value)}:"
        for labels, body in s.cases:
            yield f"{pad}{INDENT}case {' | '.join(self.values.text(x) for x in labels)}:"
            yield from self._block(body, depth + 2)
        if s.default is not None:
            yield f"{pad}{INDENT}case _:"
            yield from self._block(s.default, depth + 2)

    def _check(
        self, condition: HostExpr | None, message: tuple[HostExpr, ...], pad: str
    ) -> Iterator[str]:
        parts: list[str | None] = []
        for m in message:
            if isinstance(m, HostLiteral) and isinstance(m.value, str):
                parts.append(repr(m.value)[1:-1].replace('"', '\\"').replace("\\'", "'"))
            else:
                parts.append(None)
        plain = all(p is not None for p in parts)
        inner = "".join(
            p if plain and p is not None
            else f"{{{self.values.text(m)}}}" if p is None
            else p.replace("{", "{{").replace("}", "}}")
            for p, m in zip(parts, message, strict=True)
        )  # fmt: skip
        error = f'RuntimeError({"" if plain else "f"}"{inner or "check failed"}")'
        if condition is None:
            yield f"{pad}raise {error}"
            return
        yield f"{pad}if not {self.values.text(condition, NOT)}:"
        yield f"{pad}{INDENT}raise {error}"

    def _launch(self, s: HostLaunch, pad: str) -> Iterator[str]:
        launcher = self.launchers.get(s.kernel)
        if launcher is None or not launcher.plain:
            raise NoPython(f"the kernel {s.kernel} takes structs or device variables")
        yield f"{pad}{launcher.entry}("
        for a in s.args:
            yield f"{pad}{INDENT}{self._argument(a)},"
        yield f"{pad}{INDENT}grid={self._extent(s.grid)},"
        yield f"{pad}{INDENT}block={self._extent(s.block)},"
        if launcher.takes_shared:
            shared = "0" if s.shared is None else self.values.text(s.shared)
            yield f"{pad}{INDENT}shared={shared},"
        yield f"{pad})"

    def _argument(self, e: HostExpr) -> str:
        """A ``float`` parameter rounds what it gets, so its conversion needs no text."""
        if isinstance(e, HostConvert) and e.type == HostType(HostKind.FLOAT, 32):
            if e.operand.type == HostType(HostKind.FLOAT, 64):
                return self.values.text(e.operand)
        return self.values.text(e)

    def _extent(self, e: HostExpr) -> str:
        if isinstance(e, HostSequence):
            items = [self.values.text(without_conversion(x)) for x in e.items]
            return items[0] if len(items) == 1 else f"({', '.join(items)})"
        if isinstance(e, HostVariable):
            return e.name
        raise NoPython("a launch with a computed dim3")


def _with_defaults(function: str, schema: str) -> str:
    """A function for PyTorch's dispatcher, which leaves out what the schema has a default for."""
    params = schema.partition("(")[2].rpartition("->")[0].rpartition(")")[0]
    given = [p.strip().split()[-1] for p in re.split(r",(?![^\[(]*[\])])", params) if p.strip()]
    if not any("=" in p for p in given):
        return function
    passed = ", ".join(p.split("=")[0] for p in given if p != "*")
    return f"lambda {', '.join(given)}: {function}({passed})"


def _annotation(kind: HostType) -> str:
    return _ANNOTATIONS.get(kind.kind, "Any")
