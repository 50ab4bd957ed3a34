"""Ascend 950 kernels: the SIMT rung, near one to one.

A launch holds at most 65,535 blocks, a CUDA grid more, so each block of the launch takes its share
of the CUDA grid in a loop. Where the body cannot stand in that loop (a ``return`` inside a loop of
its own, or a ``return`` beside a barrier) it becomes a function that the loop calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from migrate.analysis.doubles import doubles_in, holds_double, narrow_doubles, soft_double_note
from migrate.analysis.reach import called_functions, reached_functions
from migrate.backends.ascendc.kernel_text import (
    LAUNCH_NAMES,
    EmitResult,
    KernelRefusal,
    KernelText,
)
from migrate.backends.ascendc.names import free_name
from migrate.backends.ascendc.simt_dialect import GridNames, Needs, SimtDialect
from migrate.backends.ascendc.simt_launch import CHECK, CHECK_TEXT, MAX_BLOCK, launch_check
from migrate.backends.clike import INDENT, CPrinter, Writer, has_statement, signature
from migrate.backends.clike_dialect import Unprintable
from migrate.core.artifact import SourceLine
from migrate.core.codes import target as codes
from migrate.core.diagnostics import Diagnostic, Outcome, Suggestion
from migrate.core.span import NO_SPAN, Span
from migrate.core.targets import Target
from migrate.ir.expr import Builtin, IndexVar
from migrate.ir.kernel import Function, Kernel, Module
from migrate.ir.lifted import Lifted
from migrate.ir.simt import (
    Barrier,
    Collective,
    Declare,
    DoWhile,
    For,
    Return,
    Stmt,
    While,
)
from migrate.ir.types import Pointer, Space, Struct, Type
from migrate.ir.walk import all_exprs, declared_names, sub_bodies, walk_stmts
from migrate.rules.catalogue import Catalogue
from migrate.rules.model import Prelude

MAX_GRID = 65535
"""Blocks of one launch (vendor documentation, "kernel configuration")."""
DEFAULT_BOUND = MAX_BLOCK
"""Threads a block may have when neither source nor launches say less; CUDA's own maximum."""


@dataclass(frozen=True, slots=True)
class SimtContext:
    """What the emitter knows beside the kernel.

    ``names`` are printed names by symbol; ``overloaded`` the printed function names that several
    functions share; ``flat_grid`` says that every launch of the kernel has a one-dimensional grid;
    ``block_bound`` is the largest block of all launches (0: unknown); ``soft_double`` has double
    precision done by integer arithmetic.
    """

    catalogue: Catalogue
    names: Mapping[str, str]
    overloaded: frozenset[str] = frozenset()
    flat_grid: bool = False
    block_bound: int = 0
    structs: Mapping[str, str] = field(default_factory=dict)
    soft_double: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FunctionText:
    """A device function as text; ``lines`` are relative to ``definition``."""

    prototype: str
    definition: str
    includes: tuple[str, ...]
    prelude: tuple[str, ...]
    lines: tuple[SourceLine, ...]


def reads_grid(body: tuple[Stmt, ...]) -> bool:
    """True when ``blockIdx`` or ``gridDim`` is read."""
    return any(
        isinstance(e, IndexVar) and e.builtin in (Builtin.BLOCK, Builtin.GRID_DIM)
        for e in all_exprs(body)
    )


def grid_functions(module: Module) -> frozenset[str]:
    """Symbols of the functions that read ``blockIdx`` or ``gridDim``, directly or by a call."""
    found = {f.symbol for f in module.functions if reads_grid(f.body)}
    while True:
        more = {
            f.symbol
            for f in module.functions
            if f.symbol not in found and called_functions(f.body) & found
        }
        if not more:
            return frozenset(found)
        found |= more


def double_fault(
    name: str, params: tuple[tuple[str, bool], ...], body: tuple[Stmt, ...], span: Span
) -> Diagnostic | None:
    """CM4001 for the first double that is left in a function, if any."""
    cause = None
    for param, is_double in params:
        if is_double:
            what = "parameter " + param if param else "the result"
            cause, at = f"{what} of {name} is double", span
            break
    else:
        node = next(doubles_in(body), None)
        if node is not None:
            cause = f"{name} computes in double"
            at = node.span if node.span != NO_SPAN else span
    if cause is None:
        return None
    return Diagnostic(
        codes.NO_DOUBLE,
        Outcome.REFUSED,
        cause,
        at,
        suggestion=Suggestion("convert with --double soft, or fp32 if single precision is enough"),
        target=Target.ASCEND_950.value,
    )


def emit_kernel(lifted: Lifted, context: SimtContext) -> EmitResult:
    """A kernel and its launcher, or why there is none."""
    kernel = lifted.body
    if kernel is None:
        return KernelRefusal(lifted.diagnostics)
    kernel = replace(kernel, body=narrow_doubles(kernel.body))
    notes: tuple[Diagnostic, ...] = ()
    faults = _double_faults(kernel, lifted.module)
    if context.soft_double and faults:
        notes = (soft_double_note(kernel, Target.ASCEND_950),)
    elif faults:
        return KernelRefusal(tuple(replace(f, kernel=kernel.symbol) for f in faults))
    try:
        text = _KernelEmitter(kernel, lifted.module, context).emit()
        return replace(text, diagnostics=(*text.diagnostics, *notes))
    except Unprintable as fault:
        d = replace(fault.diagnostic, kernel=kernel.symbol, target=Target.ASCEND_950.value)
        at = kernel.span if d.span == NO_SPAN else d.span
        return KernelRefusal((replace(d, span=at),))


def _double_faults(kernel: Kernel, module: Module) -> tuple[Diagnostic, ...]:
    found = []
    params = tuple((p.name, holds_double(p.type)) for p in kernel.params)
    found.append(double_fault(kernel.name, params, kernel.body, kernel.span))
    for f in reached_functions(kernel.body, module):
        params = tuple((p.name, holds_double(p.type)) for p in f.params)
        params += (("", holds_double(f.result)),)
        found.append(double_fault(f.name, params, narrow_doubles(f.body), f.span))
    return tuple(d for d in found if d is not None)[:1]


def emit_function(function: Function, module: Module, context: SimtContext) -> FunctionText:
    """A device function. Raises :class:`Unprintable` for a construct without a counterpart."""
    takers = grid_functions(module)
    taken = {p.name for p in function.params} | declared_names(function.body)
    grid = GridNames(free_name("block", taken), free_name("grid", taken), flat=False)
    dialect = SimtDialect(
        module,
        context.catalogue,
        context.names,
        overloaded=context.overloaded,
        grid=grid,
        takes_grid=takers,
        structs=context.structs,
        soft=context.soft_double,
        variables=_visible(context.variables, taken),
    )
    printer = CPrinter(dialect)
    params = printer.params(function.params)
    if function.symbol in takers:
        params += (f"dim3 {grid.block}", f"dim3 {grid.grid}")
    name = local_name(dialect.function_name(function.symbol))
    head = signature(f"__aicore__ inline {dialect.type(function.result)} {name}", params)
    writer = Writer()
    printer.function(writer, head, function.params, narrow_doubles(function.body), function.span)
    return FunctionText(
        prototype=f"{head};",
        definition=writer.text(),
        includes=tuple(dialect.needs.includes),
        prelude=tuple(p.text for p in dialect.needs.prelude),
        lines=tuple(writer.origins),
    )


def local_name(name: str) -> str:
    """A printed name without its namespaces: how it is defined."""
    return name.rpartition("::")[2]


def _visible(variables: Mapping[str, str], locals_: set[str]) -> dict[str, str]:
    """Device variables that no local of the function hides."""
    return {name: shown for name, shown in variables.items() if name not in locals_}


def _returns_in_loop(stmts: tuple[Stmt, ...], inside: bool = False) -> bool:
    for s in stmts:
        if isinstance(s, Return) and inside:
            return True
        deeper = inside or isinstance(s, For | While | DoWhile)
        if any(_returns_in_loop(b, deeper) for b in sub_bodies(s)):
            return True
    return False


class _KernelEmitter:
    """Writes one kernel: its loop over the CUDA grid and its launcher."""

    def __init__(self, kernel: Kernel, module: Module, context: SimtContext) -> None:
        self.kernel, self.module, self.context = kernel, module, context
        self.takers = grid_functions(module)
        taken = {p.name for p in kernel.params} | declared_names(kernel.body)
        calls_grid = any(f.symbol in self.takers for f in reached_functions(kernel.body, module))
        self.flat = context.flat_grid and not calls_grid
        self.grid = GridNames(
            free_name("block", taken),
            free_name("blocks" if self.flat else "grid", taken),
            self.flat,
        )
        self.index = self.grid.block if self.flat else free_name("index", taken)
        self.count = self.grid.grid if self.flat else free_name("count", taken)
        self.needs_block = reads_grid(kernel.body) or calls_grid
        self.dialect = SimtDialect(
            module,
            context.catalogue,
            context.names,
            overloaded=context.overloaded,
            grid=self.grid,
            takes_grid=self.takers,
            structs=context.structs,
            soft=context.soft_double,
            variables=_visible(context.variables, taken),
        )
        self.printer = CPrinter(self.dialect)
        self.name = local_name(context.names.get(kernel.symbol, kernel.symbol))

    def emit(self) -> KernelText:
        """The whole text."""
        w = Writer()
        shared = self._uses_shared()
        barrier = has_statement(self.kernel.body, (Barrier, Collective))
        returns = has_statement(self.kernel.body, (Return,))
        apart = _returns_in_loop(self.kernel.body) or (returns and (barrier or shared))
        if apart:
            self._block_function(w)
        self._kernel(w, apart, shared)
        needs: Needs = self.dialect.needs
        known = self.context.block_bound
        proven = 0 < known <= self._bound()
        check = launch_check(self.kernel, self.module, self._bound(), proven)
        if check:
            needs.helper(Prelude(CHECK, CHECK_TEXT))
        return KernelText(
            definition=w.text(),
            launcher="\n".join((*([check] if check else []), self._launcher())),
            includes=tuple(needs.includes),
            prelude=tuple(p.text for p in needs.prelude),
            lines=tuple(w.origins),
        )

    def _uses_shared(self) -> bool:
        bodies = [self.kernel.body]
        bodies += [f.body for f in reached_functions(self.kernel.body, self.module)]
        return any(
            isinstance(s, Declare) and s.space is Space.SHARED
            for body in bodies
            for s in walk_stmts(body)
        )

    def _bound(self) -> int:
        bound = self.kernel.max_threads or self.context.block_bound or DEFAULT_BOUND
        return min(bound, MAX_BLOCK)

    def _block_function(self, w: Writer) -> None:
        """The body as a function, so that a ``return`` ends one CUDA block's work only."""
        kind = "uint32_t" if self.flat else "dim3"
        extra = (f"{kind} {self.grid.block}", f"{kind} {self.grid.grid}")
        params = (*self.printer.params(self.kernel.params), *extra)
        w.comment(f"One block of the CUDA kernel {self.kernel.name}.")
        head = signature(f"__aicore__ inline void {self.name}_block", params)
        self.printer.function(w, head, self.kernel.params, self.kernel.body, self.kernel.span)
        w.line("")

    def _kernel(self, w: Writer, apart: bool, shared: bool) -> None:
        kernel, grid = self.kernel, self.grid
        kind = "uint32_t" if self.flat else "dim3"
        params = (*self.printer.params(kernel.params), f"{kind} {grid.grid}")
        start = f"__global__ __launch_bounds__({self._bound()}) void {self.name}"
        self.printer.head(w, signature(start, params), kernel.span)
        w.line("{")
        w.depth += 1
        body = kernel.body
        if not apart:
            hoisted = tuple(s for s in body if isinstance(s, Declare) and s.space is Space.SHARED)
            body = tuple(s for s in body if s not in hoisted)
            self.printer.stmts(w, hoisted)
        self._loop_head(w)
        w.depth += 1
        if apart:
            names = [p.name for p in kernel.params] + [grid.block, grid.grid]
            w.line(f"{self.name}_block({', '.join(names)});")
        else:
            self.dialect.ends_with("continue;")
            self.printer.body(w, body, frozenset(p.name for p in kernel.params))
        if shared:
            w.comment("The next block uses the same shared memory.")
            w.line("asc_syncthreads();")
        w.depth -= 1
        w.line("}")
        w.depth -= 1
        w.line("}")

    def _loop_head(self, w: Writer) -> None:
        grid, index = self.grid, self.index
        if self.flat:
            w.line(
                f"for (uint32_t {index} = blockIdx.x; {index} < {grid.grid}; "
                f"{index} += gridDim.x) {{"
            )
            return
        g = grid.grid
        w.line(f"const uint64_t {self.count} = (uint64_t){g}.x * {g}.y * {g}.z;")
        w.line(
            f"for (uint64_t {index} = blockIdx.x; {index} < {self.count}; {index} += gridDim.x) {{"
        )
        if self.needs_block or _returns_in_loop(self.kernel.body):
            w.line(
                f"{INDENT}const dim3 {grid.block}({index} % {g}.x, {index} / {g}.x % {g}.y, "
                f"{index} / {g}.x / {g}.y);"
            )

    def _launcher(self) -> str:
        names = [self._argument(p.name, p.type) for p in self.kernel.params]
        taken = {p.name for p in self.kernel.params} | set(LAUNCH_NAMES)
        blocks = free_name("blocks", taken)
        if self.flat:
            args = ", ".join([*names, "grid.x"])
            count = f"grid.x < {MAX_GRID} ? grid.x : {MAX_GRID}"
            head: tuple[str, ...] = (f"const uint32_t {blocks} = {count};",)
        else:
            args = ", ".join([*names, "grid"])
            total = free_name("count", taken)
            head = (
                f"const uint64_t {total} = (uint64_t)grid.x * grid.y * grid.z;",
                f"const uint32_t {blocks} = {total} < {MAX_GRID} ? {total} : {MAX_GRID};",
            )
        return "\n".join((*head, f"{self.name}<<<{blocks}, block, dynUbBytes, stream>>>({args});"))

    def _argument(self, name: str, type_: Type) -> str:
        """An argument; mirrored structs and pointers with several C++ spellings are cast."""
        if isinstance(type_, Pointer):
            text = self.dialect.pointer(replace(type_, restrict=False))
            ambiguous = "int8_t*" in text or "int64_t*" in text or "*" in text[:-1]
            inner = type_.pointee
            ambiguous = ambiguous or (self.context.soft_double and holds_double(inner))
            if ambiguous or (isinstance(inner, Struct) and inner.name in self.context.structs):
                return f"({text}){name}"
        mirrored = isinstance(type_, Struct) and type_.name in self.context.structs
        if mirrored or (self.context.soft_double and holds_double(type_)):
            return f"*(const {self.dialect.type(type_)}*)&{name}"
        return name
