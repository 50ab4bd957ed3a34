"""What a PyTorch extension gives to Python: its host functions and their bindings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from migrate.core.codes import internal, reading
from migrate.core.diagnostics import Code, Diagnostic, Outcome
from migrate.core.span import Span
from migrate.frontend.cursor import Cursor, Form
from migrate.frontend.declarations import Declarations
from migrate.frontend.refusal import Refused
from migrate.frontend.source import Sources
from migrate.frontend.torch_expressions import ExpressionReader, refuse, text_of
from migrate.frontend.torch_statements import StatementReader
from migrate.frontend.torch_types import host_type
from migrate.ir.host_code import (
    Extension,
    HostExpr,
    HostFunction,
    HostKind,
    HostParam,
    HostStmt,
    OperatorBinding,
    PythonBinding,
)

# A stream that a caller chooses is not known to be PyTorch's current one.
_NO_PARAMETER = (
    HostKind.OTHER, HostKind.POINTER, HostKind.CLOSURE, HostKind.STREAM, HostKind.GUARD,
)  # fmt: skip
KernelSymbol = Callable[[Cursor], "str | None"]


def read_extension(declarations: Declarations, sources: Sources, kernel: KernelSymbol) -> Extension:
    """The host functions that take or give tensors, those that they call, and what binds them.

    A unit without such functions has an empty extension. A function that has no translation carries
    a CM1035 diagnostic and no body.
    """
    files = declarations.files
    if not any(b"torch" in sources.get(f).data or b"ATen" in sources.get(f).data for f in files):
        return Extension()
    reader = _ExtensionReader(sources, kernel)
    for declared in declarations.functions:
        c = declared.cursor
        if not declared.is_host or declared.is_template or not c.is_definition:
            continue
        if c.name.startswith("cudamigrate_module_"):
            reader.module(c)
        elif c.name.startswith("cudamigrate_library_"):
            reader.library(c)
        elif c.form is Form.FUNCTION and _concerns_tensors(c):
            reader.want(c)
    reader.read()
    return Extension(
        functions=tuple(reader.functions.values()),
        python=tuple(reader.python),
        operators=tuple(reader.operators),
        diagnostics=tuple(reader.diagnostics),
    )


def _concerns_tensors(c: Cursor) -> bool:
    kinds = [p.type for p in c.arguments] + [c.result_type]
    return any("at::Tensor" in k.spelling for k in kinds)


@dataclass(slots=True)
class _ExtensionReader:
    sources: Sources
    kernel: KernelSymbol
    functions: dict[str, HostFunction] = field(default_factory=dict)
    python: list[PythonBinding] = field(default_factory=list)
    operators: list[OperatorBinding] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    _waiting: dict[str, Cursor] = field(default_factory=dict)

    def want(self, c: Cursor) -> str:
        """A function to be read; the key by which calls and bindings name it."""
        definition = c.definition or c
        key = definition.mangled or definition.usr
        if key not in self.functions:
            self._waiting.setdefault(key, definition)
        return key

    def read(self) -> None:
        """Read what is wanted, and what that wants in turn."""
        while self._waiting:
            key = next(iter(self._waiting))
            self.functions[key] = self._function(key, self._waiting.pop(key))

    # --- functions

    def _function(self, key: str, c: Cursor) -> HostFunction:
        name = c.name.split("<")[0]
        span = self._span(c)
        result = host_type(c.result_type)
        expressions = ExpressionReader(self.want)
        params: tuple[HostParam, ...] = ()
        body: tuple[HostStmt, ...] | None = None
        refused: Diagnostic | None = None
        try:
            params = tuple(self._param(p, expressions) for p in c.arguments)
            compound = next((x for x in c.children if x.form is Form.COMPOUND), None)
            if compound is None:
                raise refuse(c, f"{name} has no body in this unit")
            body = StatementReader(expressions, self.kernel, self._span).body(compound)
        except Refused as fault:
            refused = self._diagnostic(fault.code, f"{name}: {fault.cause}", fault.cursor or c)
        except Exception as fault:
            # A fault of ours costs one host function and is reported as such.
            cause = f"{name}: {type(fault).__name__} {fault}"
            refused = self._diagnostic(internal.FRONTEND_FAULT, cause, c)
        if refused is not None:
            body = None
        comment = self._comment(c)
        return HostFunction(key, name, params, result, body, comment, span, refused)

    def _param(self, c: Cursor, expressions: ExpressionReader) -> HostParam:
        kind = host_type(c.type)
        if kind.kind in _NO_PARAMETER:
            raise refuse(c, f"parameter {c.name} of type {c.type.spelling}")
        given = next(iter(reversed(c.expressions)), None)
        default = None if given is None else expressions.read(given)
        expressions.declare(c.name)
        return HostParam(c.name, kind, default)

    def _comment(self, c: Cursor) -> str:
        source = self.sources.get(c.file)
        found = source.comment_before(c.extent.start)
        return "" if found is None else source.text(*found)

    # --- bindings

    def module(self, c: Cursor) -> None:
        """``PYBIND11_MODULE``: each ``def`` on the module itself."""
        for call in _calls(c, "def"):
            given = call.arguments
            owner = call.children[0].expressions[0].type.spelling if call.children else ""
            target = _function_named(given[1]) if len(given) > 1 else None
            if target is None or "module_" not in owner:
                self._unbound(call, "def of a lambda, class or submodule")
                continue
            try:
                texts = [text_of(a) for a in given[2:] if a.form is Form.STRING]
                args = tuple(self._argument(a) for a in given[2:] if a.form is not Form.STRING)
                binding = PythonBinding(
                    text_of(given[0]), self.want(target), "".join(texts[:1]), args, self._span(call)
                )
            except Refused as fault:
                self._unbound(call, fault.cause)
                continue
            self.python.append(binding)

    def _argument(self, c: Cursor) -> tuple[str, HostExpr | None]:
        """``py::arg("name")``, ``"name"_a`` or one of them with ``= default``."""
        text = next((x for x in c.walk() if x.form is Form.STRING), None)
        if text is None or "arg" not in c.type.spelling:
            raise refuse(c, "an extra of def that names no argument")
        assignment = c
        while assignment.form is Form.UNEXPOSED and len(assignment.expressions) == 1:
            assignment = assignment.expressions[0]
        if assignment.form is Form.CALL and assignment.name == "operator=":
            value = ExpressionReader(self.want).read(assignment.expressions[-1])
            return text_of(text), value
        return text_of(text), None

    def library(self, c: Cursor) -> None:
        """``TORCH_LIBRARY`` and ``TORCH_LIBRARY_IMPL``."""
        name, dispatch = (
            text_of(next(x for x in p.walk() if x.form is Form.STRING)) for p in c.arguments[1:3]
        )
        for method in ("def", "impl"):
            for call in _calls(c, method):
                given = call.arguments
                text = next((x for x in given[0].walk() if x.form is Form.STRING), None)
                target = _function_named(given[1]) if len(given) > 1 else None
                if text is None or (target is None and (method == "impl" or len(given) > 1)):
                    self._unbound(call, f"{method} of what is no plain function")
                    continue
                schema = text_of(text) if method == "def" else ""
                operator = text_of(text).split("(")[0].split("::")[-1].strip()
                key = "" if target is None else self.want(target)
                self.operators.append(
                    OperatorBinding(name, operator, schema, key, dispatch, self._span(call))
                )

    def _unbound(self, c: Cursor, cause: str) -> None:
        self.diagnostics.append(
            self._diagnostic(reading.HOST_CONSTRUCT, f"binding not translated: {cause}", c)
        )

    def _diagnostic(self, code: Code, cause: str, at: Cursor) -> Diagnostic:
        return Diagnostic(code, Outcome.WEAKER, cause, self._span(at))

    def _span(self, c: Cursor) -> Span:
        extent = c.extent
        return self.sources.get(extent.file).span(extent.start, extent.end)


def _calls(c: Cursor, name: str) -> Iterator[Cursor]:
    for node in c.walk():
        if node.form is Form.CALL and node.name == name:
            yield node


def _function_named(c: Cursor) -> Cursor | None:
    for node in c.walk():
        target = node.referenced if node.form is Form.REF else None
        if target is not None and target.form is Form.FUNCTION and not target.in_system_header:
            return target
    return None
