"""One CUDA kernel as a TileLang kernel factory and a launch wrapper."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from migrate.analysis.constants import Value
from migrate.analysis.launch_axes import AXES, AxisUse, global_index, launch_axes
from migrate.backends.tilelang.atomics import atomic_sources
from migrate.backends.tilelang.body import INDENT, BodyWriter, written_buffers
from migrate.backends.tilelang.bridge_call import BridgeCall
from migrate.backends.tilelang.dtypes import ARGUMENT, STORAGE, TORCH
from migrate.backends.tilelang.effects import effect_sources
from migrate.backends.tilelang.expression_facts import hidden_indices
from migrate.backends.tilelang.names import PythonNames
from migrate.backends.tilelang.precedence import AND
from migrate.backends.tilelang.signature import Given, Piece, element, given_params, size_of
from migrate.backends.tilelang.spell import Speller
from migrate.core.artifact import SourceLine
from migrate.core.rung import Rung
from migrate.ir.expr import Binary, BinaryOp, Call, Cast, Expr, PtrElem, Read, Select
from migrate.ir.kernel import Kernel
from migrate.ir.lifted import Lifted
from migrate.ir.simt import Declare, If, Stmt
from migrate.ir.types import I32, Array, Kind, Pointer, Scalar, Struct, Type, Vector
from migrate.ir.walk import assigned_names, walk_expr, walk_stmts
from migrate.rules.catalogue import Catalogue
from migrate.rules.model import Prelude

TILES = {1: (256,), 2: (32, 8), 3: (32, 4, 2)}


@dataclass(frozen=True, slots=True)
class KernelModule:
    """The parts of a generated module that belong to one kernel."""

    entry: str
    factory: tuple[str, ...]
    wrapper: tuple[str, ...]
    map: tuple[SourceLine, ...]
    structs: tuple[Given, ...]
    signature: str
    preludes: tuple[Prelude, ...]
    uses_bfloat16: bool
    takes_shared: bool
    """The wrapper takes the bytes of dynamic shared memory."""
    plain: bool
    """Every parameter is a number or a pointer: no struct, and no variable of the module."""
    bridge: BridgeCall
    """What a C++ host program passes to the compiled kernel."""


@dataclass(frozen=True, slots=True)
class LaunchAxis:
    """A launch axis that the kernel runs along."""

    axis: str
    use: AxisUse
    number: int


class KernelWriter:
    """Writes one kernel. ``entry`` is the wrapper's name in the module."""

    def __init__(
        self,
        lifted: Lifted,
        body: Kernel,
        catalogue: Catalogue,
        entry: str,
    ) -> None:
        self._source = lifted.source
        self._kernel = body
        self._module = lifted.module
        self._rung = lifted.rung
        self._entry = entry
        self._given = given_params(lifted.source, body, lifted.module)
        self._names = PythonNames({entry, f"{entry}_kernel", "target", "launch", "shared"})
        for g in self._given:
            for piece in g.pieces:
                self._names.of(piece.param.name)
        for s in walk_stmts(body.body):
            if isinstance(s, Declare):
                self._names.of(s.name)
        axes = launch_axes(body.body)
        self._axes = axes if lifted.rung is Rung.TILE else axes.split()
        assigned = assigned_names(body.body)
        self._mutable = assigned | hidden_indices(body.body, assigned)
        self._written = written_buffers(body.body)
        self._indices: dict[tuple[str, str], str] = {}
        arguments = {
            p.param.name: p.type
            for g in self._given
            for p in g.pieces
            if isinstance(p.type, Scalar)
        }
        values = self._single_values()
        self._spell = Speller(
            self._names, catalogue, values, self._indices, arguments, self._mutable
        )

    def _single_values(self) -> dict[str, Expr]:
        return {
            s.name: s.init
            for s in walk_stmts(self._kernel.body)
            if isinstance(s, Declare) and s.init is not None and s.name not in self._mutable
        }

    # --- the kernel

    def write(self) -> KernelModule:
        """The whole text. Raises :class:`migrate.backends.tilelang.unspellable.Unspellable`."""
        used = [
            LaunchAxis(a, self._axes.of(a), n)
            for n, a in enumerate(AXES)
            if self._axes.of(a) is not AxisUse.UNUSED
        ]
        flat = [a for a in used if a.use in (AxisUse.FLAT, AxisUse.SPLIT)]
        self._name_axes(used, flat)
        stmts = self._adopt_names(self._kernel.body)
        writer = BodyWriter(self._spell, self._mutable, self._written)
        self._grid(writer, used, flat, stmts)
        head = self._head(used, flat)
        lines = (*head, *writer.lines, "", f"{INDENT}return build({self._entry}, target)")
        shift = len(head)
        source_map = tuple(SourceLine(m.line + shift, m.span) for m in writer.map)
        return KernelModule(
            entry=self._entry,
            factory=lines,
            wrapper=tuple(self._wrapper(used, flat)),
            map=source_map,
            structs=tuple(g for g in self._given if g.is_struct),
            signature=self._signature(),
            preludes=tuple(self._spell.preludes.values()),
            uses_bfloat16=self._spell.uses_bfloat16,
            takes_shared=self.takes_shared,
            plain=not any(g.is_struct or g.is_global for g in self._given),
            bridge=self._bridge(used, flat),
        )

    def _bridge(self, used: list[LaunchAxis], flat: list[LaunchAxis]) -> BridgeCall:
        return BridgeCall(
            entry=self._entry,
            statics=tuple(self._static_arguments(flat)),
            requirements=self._requirements(),
            given=self._given,
            counts=tuple(self._count(a) for a in used),
            nullable=tuple(self._spell.null_tests),
            constants=tuple((v, t.lstrip("-")) for v, t in self._spell.constants),
            times=self._times(used),
            variable_bytes=tuple(
                size_of(g.type, self._module) if g.is_global else 0 for g in self._given
            ),
        )

    def _name_axes(self, used: list[LaunchAxis], flat: list[LaunchAxis]) -> None:
        single = len(used) == 1
        fresh = self._names.fresh
        for a in used:
            suffix = "" if single else f"_{a.axis}"
            short = "bx" if single and a.use is not AxisUse.BLOCK else f"b{a.axis}"
            self._indices[("block", a.axis)] = fresh(short)
            if a.use is AxisUse.FLAT:
                self._indices[("lane", a.axis)] = fresh("lane" if single else f"l{a.axis}")
                self._indices[("count", a.axis)] = fresh(f"lanes{suffix}")
                self._indices[("tile", a.axis)] = fresh(f"tile{suffix}")
            else:
                self._indices[("grid_dim", a.axis)] = fresh(f"grid_{a.axis}")
            if a.use is AxisUse.SPLIT:
                self._indices[("thread", a.axis)] = fresh(f"t{a.axis}")
                self._indices[("block_dim", a.axis)] = fresh(f"block_{a.axis}")
        del flat

    def _adopt_names(self, stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """``int i = global index`` gives the lane's number its name."""
        if self._rung is not Rung.TILE:
            return stmts
        out: list[Stmt] = []
        open_axes = {a for a in AXES if self._axes.of(a) is AxisUse.FLAT}
        leading = True
        for s in stmts:
            axis = self._names_axis(s) if leading else None
            leading = leading and isinstance(s, Declare)
            if axis is not None and axis in open_axes and isinstance(s, Declare):
                open_axes.discard(axis)
                self._indices[("global", axis)] = self._names.of(s.name)
            else:
                out.append(s)
        for axis in sorted(open_axes):
            several = sum(self._axes.of(a) is AxisUse.FLAT for a in AXES) > 1
            wanted = f"tid_{axis}" if several else "tid"
            self._indices[("global", axis)] = self._names.fresh(wanted)
        return tuple(out)

    def _names_axis(self, s: Stmt) -> str | None:
        match s:
            case Declare(name, kind, Cast(inner)) if kind == I32 and name not in self._mutable:
                return next((a for a in AXES if inner == global_index(a)), None)
            case _:
                return None

    def _grid(
        self, w: BodyWriter, used: list[LaunchAxis], flat: list[LaunchAxis], stmts: tuple[Stmt, ...]
    ) -> None:
        extents, blocks = [], []
        for a in used:
            blocks.append(self._indices[("block", a.axis)])
            if a.use is AxisUse.FLAT:
                lanes, tile = self._indices[("count", a.axis)], self._indices[("tile", a.axis)]
                extents.append(f"T.ceildiv({lanes}, {tile})")
            else:
                extents.append(self._indices[("grid_dim", a.axis)])
        sizes = [self._size(a) for a in flat] or ["1"]
        numbers = [self._lane(a) for a in flat] or [self._names.fresh("lane")]
        grid = ", ".join(extents) if extents else "1"
        name = ", ".join(blocks) if blocks else self._names.fresh("bx")
        target = f"({name})" if len(blocks) > 1 else name
        threads = " * ".join(sizes)
        w.line(2, f"with T.Kernel({grid}, threads={threads}) as {target}:")
        self._annotations(w)
        # The last axis of T.Parallel is the fastest, as x is in CUDA.
        order = f"{', '.join(reversed(numbers))} in T.Parallel({', '.join(reversed(sizes))})"
        w.line(3, f"for {order}:")
        self._guarded(w, flat, stmts)

    def _annotations(self, w: BodyWriter) -> None:
        """What stands before the body: buffers that can overlap, C functions."""
        shared = self._may_alias()
        if shared:
            w.line(3, f"T.annotate_restrict_buffers({', '.join(shared)})  # these can overlap")
        sources = (*atomic_sources(self._kernel.body), *effect_sources(self._kernel.body))
        if sources:
            w.line(3, f"T.import_source({' + '.join(sources)})")

    def _size(self, a: LaunchAxis) -> str:
        key = "tile" if a.use is AxisUse.FLAT else "block_dim"
        return self._indices[(key, a.axis)]

    def _lane(self, a: LaunchAxis) -> str:
        key = "lane" if a.use is AxisUse.FLAT else "thread"
        return self._indices[(key, a.axis)]

    def _guarded(self, w: BodyWriter, flat: list[LaunchAxis], stmts: tuple[Stmt, ...]) -> None:
        """The lane numbers and the test that they are inside the launch."""
        tests = []
        for a in flat:
            if a.use is not AxisUse.FLAT:
                continue
            number = self._indices[("global", a.axis)]
            block, tile = self._indices[("block", a.axis)], self._indices[("tile", a.axis)]
            w.line(4, f"{number} = {block} * {tile} + {self._indices[('lane', a.axis)]}")
            tests.append(f"{number} < {self._indices[('count', a.axis)]}")
        if not tests:
            w.body(stmts, 4)
            return
        guard = stmts[0] if len(stmts) == 1 else None
        if isinstance(guard, If) and not guard.other and _cheap(guard.cond):
            for note in guard.note.splitlines():
                w.line(4, f"# {note.strip()}")
            tests.append(self._spell.text(guard.cond, AND))
            stmts = guard.then
        w.line(4, f"if {' and '.join(tests)}:", guard.span if guard else self._kernel.span)
        w.body(stmts, 5)

    def _may_alias(self) -> list[str]:
        """Buffers that CUDA does not promise to be apart, when one of them is written."""
        if not self._written:
            return []
        names = [
            self._names.of(p.param.name)
            for p in self._buffers()
            if not (isinstance(p.type, Pointer) and p.type.restrict)
        ]
        return names if len(names) > 1 else []

    def _buffers(self) -> list[Piece]:
        return [p for g in self._given for p in g.pieces if isinstance(p.type, Pointer | Array)]

    def _scalars(self) -> list[Piece]:
        return [p for g in self._given for p in g.pieces if isinstance(p.type, Scalar)]

    def _head(self, used: list[LaunchAxis], flat: list[LaunchAxis]) -> list[str]:
        static = ["target: str", *self._static_params(flat)]
        lines = [
            "@functools.cache",
            f"def {self._entry}_kernel({', '.join(static)}) -> Any:",
            f'{INDENT}"""The kernel of :func:`{self._entry}`."""',
        ]
        sizes_of = [self._names.fresh(f"{p.param.name}_size") for p in self._buffers()]
        if sizes_of:
            names = ", ".join(sizes_of)
            lines.append(f'{INDENT}{names} = T.dynamic("{names}")')
        lines += ["", f"{INDENT}@T.prim_func", f"{INDENT}def {self._entry}("]
        at = 0
        for g in self._given:
            for p in g.pieces:
                name = self._names.of(p.param.name)
                kind = element(p.type)
                if isinstance(p.type, Scalar):
                    lines.append(f"{INDENT * 2}{name}: T.{ARGUMENT[kind.kind]},")
                else:
                    size, dtype = sizes_of[at], STORAGE[kind.kind]
                    lines.append(f'{INDENT * 2}{name}: T.Tensor(({size},), "{dtype}"),')
                    at += 1
        for name, dtype in self._extra_arguments(used):
            lines.append(f"{INDENT * 2}{name}: T.{dtype},")
        lines.append(f"{INDENT}):")
        return lines

    def _static_params(self, flat: list[LaunchAxis]) -> list[str]:
        """Parameters that a compiled kernel is made for: sizes of tiles and blocks."""
        sizes = TILES[max(1, len(flat))]
        static = []
        for at, a in enumerate(flat):
            default = f" = {sizes[at]}" if a.use is AxisUse.FLAT else ""
            static.append(f"{self._size(a)}: int{default}")
        return sorted(static, key=lambda text: "=" in text)

    def _extra_arguments(self, used: list[LaunchAxis]) -> list[tuple[str, str]]:
        out = []
        for a in used:
            key = "count" if a.use is AxisUse.FLAT else "grid_dim"
            out.append((self._indices[(key, a.axis)], "int32"))
        out += [(name, "int32") for name in self._spell.null_tests.values()]
        for (_, dtype), name in self._spell.constants.items():
            out.append((name, dtype.lstrip("-")))
        return out

    # --- the wrapper

    def _wrapper(self, used: list[LaunchAxis], flat: list[LaunchAxis]) -> Iterable[str]:
        params = [f"{self._names.of(g.name)}: {self._annotation(g)}" for g in self._given]
        yield f"def {self._entry}("
        for text in params:
            yield f"{INDENT}{text},"
        yield f"{INDENT}*,"
        yield f"{INDENT}grid: Dim,"
        yield f"{INDENT}block: Dim,"
        if self.takes_shared:
            yield f"{INDENT}shared: int,"
        yield ") -> None:"
        yield from self._docstring()
        yield f"{INDENT}launch = Launch(grid, block)"
        yield from self._launch_tests()
        tensors = [
            self._access(g, p) for g in self._given for p in g.pieces if isinstance(p.type, Pointer)
        ]
        static = [f"target_of({', '.join(tensors)})"]
        static += self._static_arguments(flat)
        yield f"{INDENT}launch("
        yield f"{INDENT * 2}{self._entry}_kernel({', '.join(static)}),"
        for g in self._given:
            for p in g.pieces:
                yield f"{INDENT * 2}{self._argument(g, p)},"
        for a in used:
            yield f"{INDENT * 2}{self._count(a)},"
        for name in self._spell.null_tests:
            access = self._names.of(name)
            yield f"{INDENT * 2}int({access} is not None),"
        for (value, _), _name in self._spell.constants.items():
            yield f"{INDENT * 2}{_number(value)},"
        times = self._times(used)
        if times:
            yield f"{INDENT * 2}times={times},"
        yield f"{INDENT})"

    @property
    def takes_shared(self) -> bool:
        """Whether the wrapper takes the bytes of dynamic shared memory, behind grid and block."""
        return False

    @staticmethod
    def _count(a: LaunchAxis) -> str:
        """What a kernel is told of an axis: its threads, or its blocks."""
        flat = a.use is AxisUse.FLAT
        return f"launch.threads({a.number})" if flat else f"launch.grid[{a.number}]"

    def _launch_tests(self) -> Iterable[str]:
        """What the wrapper asks of a launch."""
        for condition, message in self._requirements():
            yield f"{INDENT}if not ({condition}):"
            yield f'{INDENT * 2}raise ValueError("{message}")'

    def _requirements(self) -> tuple[tuple[str, str], ...]:
        """Conditions on a launch, as text that Python and C++ read alike, with what to say."""
        return ()

    def _static_arguments(self, flat: list[LaunchAxis]) -> list[str]:
        """The values of :meth:`_static_params` in a launch."""
        return [f"launch.block[{a.number}]" for a in flat if a.use is AxisUse.SPLIT]

    def _times(self, used: list[LaunchAxis]) -> str:
        factors = []
        for n, a in enumerate(AXES):
            use = self._axes.of(a)
            if use is AxisUse.UNUSED:
                factors.append(f"launch.threads({n})")
            elif use is AxisUse.BLOCK:
                factors.append(f"launch.block[{n}]")
        del used
        return " * ".join(factors)

    def _docstring(self) -> Iterable[str]:
        where = self._source.span
        name = self._source.qualified or self._source.name
        args = ", ".join(f"{a.name} = {a.value}" for a in self._source.template_args)
        of = f" with {args}" if args else ""
        comment = [line.strip() for line in self._source.comment.splitlines()]
        origin = f"CUDA kernel ``{name}``{of}, {where.file}:{where.line}."
        out = [self._names.of(n) for n in sorted(self._written)]
        writes = f"Writes {', '.join(out)}." if out else ""
        if not comment and not writes:
            yield f'{INDENT}"""{origin}"""'
            return
        first = comment[0] if comment else origin
        yield f'{INDENT}"""{_escaped(first)}'
        for line in comment[1:]:
            yield f"{INDENT}{_escaped(line)}" if line else ""
        yield ""
        text = f"{origin} {writes}" if comment else writes
        yield f"{INDENT}{text.strip()}"
        yield f'{INDENT}"""'

    def _annotation(self, g: Given) -> str:
        if g.is_struct:
            return struct_name(g.type)
        return self._piece_annotation(g.pieces[0])

    def _piece_annotation(self, p: Piece) -> str:
        if isinstance(p.type, Pointer):
            nullable = p.param.name in self._spell.null_tests
            return "torch.Tensor | None" if nullable else "torch.Tensor"
        return scalar_annotation(p.type)

    def _access(self, g: Given, p: Piece) -> str:
        name = self._names.of(g.name)
        return f"{name}.{p.member}" if p.member else name

    def _argument(self, g: Given, p: Piece) -> str:
        access = self._access(g, p)
        kind = element(p.type)
        if isinstance(p.type, Pointer):
            return self._tensor(g, p, access, kind)
        if isinstance(p.type, Array):
            given, storage = TORCH[kind.kind], STORAGE[kind.kind]
            view = f".view(torch.{storage})" if given != storage else ""
            return f"torch.tensor({access}, dtype=torch.{given}){view}"
        match kind.kind:
            case Kind.U32:
                return f"int32({access})"
            case Kind.U64:
                return f"int64({access})"
            case Kind.BOOL:
                return f"int({access})"
            case _:
                return access

    def _tensor(self, g: Given, p: Piece, access: str, kind: Scalar) -> str:
        label = f'"{p.member or g.name}"'
        torch_type, storage = TORCH[self._source_kind(g, kind).kind], STORAGE[kind.kind]
        if self._is_words(g, p):
            return f"words({label}, {access}, torch.{storage})"
        if torch_type == storage:
            return f"flat({label}, {access}, torch.{torch_type})"
        return f"flat({label}, {access}, torch.{torch_type}, torch.{storage})"

    def _source_kind(self, g: Given, kind: Scalar) -> Scalar:
        """What the caller has, where the kernel works on its bits."""
        whole = g.type
        if isinstance(whole, Pointer) and isinstance(whole.pointee, Scalar):
            return whole.pointee if whole.pointee.bytes == kind.bytes else kind
        return kind

    def _given_code(self, g: Given) -> str:
        """The code of a parameter in one piece, by what the caller has."""
        piece = g.pieces[0].type
        if isinstance(piece, Pointer):
            return f"{self._source_kind(g, element(piece))}*"
        return type_code(piece)

    def _is_words(self, g: Given, p: Piece) -> bool:
        """Whether the buffer's elements are structs of mixed scalars, seen as words."""
        pointee: Type = g.type
        if g.is_struct:
            return False
        while isinstance(pointee, Pointer | Array):
            pointee = pointee.pointee if isinstance(pointee, Pointer) else pointee.element
        return isinstance(pointee, Struct) or not isinstance(pointee, Scalar | Vector)

    # --- the registry

    def _signature(self) -> str:
        parts = []
        for g in self._given:
            if g.is_struct:
                inner = ", ".join(
                    f'"{p.member}": ("{type_code(p.type)}", {p.places or p.offset})'
                    for p in g.pieces
                )
                parts.append(f'("{g.name}", {{{inner}}})')
            else:
                code = self._given_code(g)
                mark = ', "global"' if g.is_global else ""
                parts.append(f'("{g.name}", "{code}"{mark})')
        inner = "".join(f"        {part},\n" for part in parts)
        return f'    "{self._entry}": (\n{inner}    ),' if parts else f'    "{self._entry}": (),'


def type_code(kind: Type) -> str:
    """``f32``, ``f32*`` for a buffer, ``f32[3]`` for an array inside a struct argument."""
    match kind:
        case Pointer():
            return f"{element(kind)}*"
        case Array(length=length):
            return f"{element(kind)}[{length}]"
        case _:
            return str(kind)


def struct_name(kind: Type) -> str:
    """The class of a struct argument: the struct's own name, ``Float2`` for ``float2``."""
    text = str(kind)
    return text if isinstance(kind, Struct) else text[0].upper() + text[1:]


def scalar_annotation(kind: Type) -> str:
    """The Python type of a scalar or array argument."""
    if isinstance(kind, Array):
        return f"tuple[{scalar_annotation(kind.element)}, ...]"
    if isinstance(kind, Pointer):
        return "torch.Tensor"
    if isinstance(kind, Scalar) and kind.is_float:
        return "float"
    return "bool" if isinstance(kind, Scalar) and kind.kind is Kind.BOOL else "int"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"""', "'''")


def _number(value: Value) -> str:
    text = repr(value)
    return f'float("{text}")' if text in ("inf", "-inf", "nan") else text


def _cheap(e: Expr) -> bool:
    """A condition that can be tested for lanes outside the launch as well: it reads no memory and
    divides by nothing."""
    for x in walk_expr(e):
        if isinstance(x, Call | Select) or (isinstance(x, Read) and isinstance(x.place, PtrElem)):
            return False
        if isinstance(x, Binary) and x.op in (BinaryOp.DIV, BinaryOp.REM):
            return False
    return True
