"""One translation unit: parsing, device functions on demand, kernels, and what cannot be read."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from migrate.core.codes import internal, reading
from migrate.core.diagnostics import Diagnostic, Outcome, Sink
from migrate.core.span import NO_SPAN, Span
from migrate.frontend.cursor import Cursor
from migrate.frontend.declarations import Declarations, Declared
from migrate.frontend.errors import ParseError, words
from migrate.frontend.globals import initial_bytes, space_of_variable
from migrate.frontend.read_functions import (
    body_of,
    definition_start,
    read_device_function,
    read_kernel,
    symbol_for,
)
from migrate.frontend.reader import Bound, Variable
from migrate.frontend.refusal import Refused
from migrate.frontend.source import Sources
from migrate.frontend.types import TypeReader, identifier
from migrate.frontend.volatile import Summaries
from migrate.ir.expr import VarPlace
from migrate.ir.kernel import Function, GlobalVar, Kernel, Module
from migrate.ir.program import UnreadKernel
from migrate.ir.types import Array, Space
from migrate.ir.verify import faults_of


@dataclass(slots=True)
class UnitReader:
    """Reads the device side of one unit; implements what function readers ask of their unit."""

    sources: Sources
    declarations: Declarations
    errors: tuple[ParseError, ...]
    types: TypeReader = field(default_factory=TypeReader)
    sink: Sink = field(default_factory=Sink)
    functions: dict[str, Function] = field(default_factory=dict)
    kernels: dict[str, Kernel] = field(default_factory=dict)
    globals: dict[str, GlobalVar] = field(default_factory=dict)
    unread: list[UnreadKernel] = field(default_factory=list)
    volatile: Summaries = field(default_factory=dict)
    _refusals: dict[str, Refused] = field(default_factory=dict)
    _open: set[str] = field(default_factory=set)
    _symbols: set[str] = field(default_factory=set)
    _tried: set[str] = field(default_factory=set)

    # --- what function readers ask

    def is_reserved(self, name: str) -> bool:
        """See :class:`UnitContext`."""
        return name in self.declarations.device_variables

    def device_function(self, callee: Cursor, at: Cursor, bound: Bound = ()) -> Function:
        """See :class:`UnitContext`. A refusal is remembered and raised again."""
        key = callee.mangled or callee.usr
        key += "".join(f" {i}:{f.mangled or f.usr}" for i, f in bound)
        if key in self.functions:
            return self.functions[key]
        if key in self._refusals:
            raise self._refusals[key]
        if key in self._open:
            raise Refused(reading.RECURSION, f"{callee.name} calls itself", at)
        self._open.add(key)
        try:
            self._check_errors(callee, at)
            symbol = self._symbol(callee, bound)
            function = read_device_function(self, callee, symbol, at, bound)
        except Refused as refusal:
            self._refusals[key] = refusal
            raise
        finally:
            self._open.discard(key)
        self.functions[key] = function
        return function

    def global_variable(self, declared: Cursor, at: Cursor) -> Variable:
        """See :class:`UnitContext`."""
        definition = declared.definition or declared
        key = definition.usr or definition.name
        space = space_of_variable(definition) or space_of_variable(declared)
        if space is None and definition.type.is_const:
            space = Space.CONSTANT  # a constant of file or block scope: its value is in the code
        if space is None:
            raise Refused(
                reading.UNREADABLE_EXPRESSION, f"host variable {declared.name} in device code", at
            )
        known = self.globals.get(key)
        if known is None:
            kind = self.types.read(definition.type, at, Space.GLOBAL)
            name = self._global_name(definition)
            init = initial_bytes(definition, kind, self.types)
            known = GlobalVar(name, kind, space, init, span=self._span(definition))
            self.globals[key] = known
        return Variable(VarPlace(known.name, known.type), known.space)

    def variable_template(self, declared: Cursor, use: Cursor) -> Variable:
        """See :class:`UnitContext`. libclang shows no attributes of it: the text has them."""
        key = declared.usr or f"{declared.name} {use.type.spelling}"
        known = self.globals.get(key)
        if known is None:
            extent = declared.extent
            text = self.sources.get(extent.file).text(extent.start, extent.end)
            if "__constant__" in text:
                space = Space.CONSTANT
            elif "__device__" in text:
                space = Space.GLOBAL
            else:
                raise Refused(
                    reading.UNREADABLE_EXPRESSION, f"variable template {declared.name}", use
                )
            if "=" in text.split(declared.name)[-1]:
                raise Refused(
                    reading.DEVICE_VARIABLE_INITIALISER, f"initialiser of {declared.name}", use
                )
            kind = self.types.read(use.type, use, Space.GLOBAL)
            element = kind
            while isinstance(element, Array):
                element = element.element
            name = identifier(f"{declared.name}_{element}")
            taken = {g.name for g in self.globals.values()}
            while name in taken:
                name += "_"
            known = GlobalVar(name, kind, space, None, span=self._span(declared))
            self.globals[key] = known
        return Variable(VarPlace(known.name, known.type), known.space)

    def _global_name(self, c: Cursor) -> str:
        name = c.name
        taken = {g.name for g in self.globals.values()}
        while name in taken:
            name += "_"
        return name

    def _symbol(self, c: Cursor, bound: Bound = ()) -> str:
        base = "_".join([symbol_for(c), *(symbol_for(f) for _, f in bound)])
        symbol = base
        count = 1
        while symbol in self._symbols:
            count += 1
            symbol = f"{base}_{count}"
        self._symbols.add(symbol)
        return symbol

    # --- kernels

    def kernel(self, c: Cursor) -> str | None:
        """Read a kernel instantiation once; its symbol, or ``None`` when it cannot be read."""
        definition = c.definition or c
        key = definition.mangled or definition.usr
        if key in self.kernels:
            return self.kernels[key].symbol
        if key in self._tried:
            return None
        self._tried.add(key)
        symbol = symbol_for(definition)
        if symbol in self._symbols:
            symbol = self._symbol(definition)
        try:
            self._check_errors(definition, definition)
            kernel = read_kernel(self, definition, symbol)
        except Refused as refusal:
            self._give_up(definition, symbol, refusal)
            return None
        except RecursionError:
            deep = f"{definition.name} nests deeper than can be followed"
            self._give_up(definition, symbol, Refused(reading.TOO_DEEP, deep, definition))
            return None
        except Exception as fault:
            # A fault of ours costs one kernel and is reported as such; it never ends the run.
            cause = f"{type(fault).__name__} {fault}".strip()
            self._report_fault(definition, symbol, cause)
            return None
        faults = faults_of(kernel, self.module("check"))
        faults += self._function_faults()
        if faults:
            self._report_fault(definition, symbol, "; ".join(faults[:3]))
            return None
        self._symbols.add(symbol)
        self.kernels[key] = kernel
        return symbol

    def _function_faults(self) -> tuple[str, ...]:
        module = self.module("check")
        found: list[str] = []
        for f in module.functions:
            found += [f"{f.symbol}: {x}" for x in faults_of(f, module)]
        return tuple(found)

    def _report_fault(self, c: Cursor, symbol: str, cause: str) -> None:
        self._unread(
            c.name,
            Diagnostic(
                internal.FRONTEND_FAULT,
                Outcome.REFUSED,
                cause,
                self._span(c),
                kernel=symbol,
            ),
            self._span(c),
        )

    def _give_up(self, c: Cursor, symbol: str, refusal: Refused) -> None:
        where = refusal.span or NO_SPAN
        if where == NO_SPAN and refusal.cursor is not None:
            where = self._span(refusal.cursor)
        diagnostic = Diagnostic(
            refusal.code,
            Outcome.REFUSED,
            refusal.cause,
            where if where != NO_SPAN else self._span(c),
            kernel=symbol,
        )
        self._unread(c.name, diagnostic, self._span(c))

    def _unread(self, name: str, diagnostic: Diagnostic, span: Span) -> None:
        self.unread.append(UnreadKernel(name, span, diagnostic))
        self.sink.report(diagnostic)

    def never_instantiated(self, declared: Declared) -> None:
        """List a kernel template that nothing instantiates."""
        span = self._span(declared.cursor)
        cause = f"no launch in this unit names an instantiation of {declared.name}"
        self._unread(
            declared.name,
            Diagnostic(
                reading.NEVER_INSTANTIATED, Outcome.REFUSED, cause, span, kernel=declared.name
            ),
            span,
        )

    # --- errors of the parser

    def _check_errors(self, c: Cursor, at: Cursor) -> None:
        if not self.errors:
            return
        start, end, file = definition_start(c), c.extent.end, c.file
        for error in self.errors:
            if error.file == file and start <= error.offset < end:
                raise Refused(error.code, error.message, at, self._error_span(error))
        spoilt = self.declarations.spoilt(self.errors, self.sources)
        body = body_of(c)
        if not spoilt or body is None:
            return
        mentioned = words(self.sources.get(file).text(start, end)) & set(spoilt)
        if mentioned:
            name = sorted(mentioned)[0]
            error = spoilt[name]
            raise Refused(error.code, f"{name}: {error.message}", at, self._error_span(error))

    def _error_span(self, error: ParseError) -> Span:
        source = self.sources.get(error.file)
        return source.span(error.offset, min(len(source.data), error.offset + 1))

    # --- results

    def module(self, name: str) -> Module:
        """Everything read so far."""
        return Module(
            name=name,
            structs=self.types.structs,
            globals=tuple(self.globals.values()),
            functions=tuple(self.functions.values()),
            kernels=tuple(self.kernels.values()),
        )

    def _span(self, c: Cursor) -> Span:
        extent = c.extent
        if not extent.file:
            return NO_SPAN
        return self.sources.get(extent.file).span(extent.start, extent.end)


def is_kernel(c: Cursor) -> bool:
    """A ``__global__`` function."""
    return "CUDAGLOBAL_ATTR" in c.attributes


def unit_name(path: Path) -> str:
    """A module name from a file name."""
    return identifier(path.stem)
