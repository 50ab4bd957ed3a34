"""Cooperative groups whose size is known: the block, and tiles of up to a warp.

A group object holds nothing at run time that its type does not say, so it becomes an empty
struct. Ranks follow CUDA's linear order of threads: x fastest. A tile's threads are neighbours in
that order (CUDA C++ Programming Guide, cooperative groups).
"""

from __future__ import annotations

import re
from abc import abstractmethod

from migrate.core.codes import reading
from migrate.frontend.convert import coerce
from migrate.frontend.cursor import Cursor, Form
from migrate.frontend.read_library import LibraryReader, owners_of
from migrate.frontend.refusal import Refused
from migrate.frontend.types import bare
from migrate.ir.expr import (
    Binary,
    BinaryOp,
    Builtin,
    Call,
    Compose,
    Const,
    Expr,
    IndexVar,
    Read,
    Select,
    VarPlace,
)
from migrate.ir.simt import Barrier, Collective
from migrate.ir.types import U32, VECTORS, Scalar, Struct, Type

BLOCK = 0
_TILE = re.compile(r"cooperative_groups::thread_block_tile<(\d+)")
_SHUFFLES = frozenset({"shfl", "shfl_up", "shfl_down", "shfl_xor"})
_VOTES = frozenset({"any", "all", "ballot", "match_any"})
_MAKERS = frozenset({"this_thread_block", "tiled_partition"})
_COORDINATES = {
    "group_index": Builtin.BLOCK,
    "thread_index": Builtin.THREAD,
    "group_dim": Builtin.BLOCK_DIM,
    "dim_threads": Builtin.BLOCK_DIM,
}
_REDUCTIONS = {
    "plus": BinaryOp.ADD,
    "bit_and": BinaryOp.AND,
    "bit_or": BinaryOp.OR,
    "bit_xor": BinaryOp.XOR,
}
_OPERATORS = frozenset({*_REDUCTIONS, "less", "greater"})
_SIMPLE = frozenset({"sync", "thread_rank", "size", "num_threads", "group_size"})


def group_size(spelling: str) -> int | None:
    """Threads of a tile, :data:`BLOCK` for the whole block, ``None`` for other groups."""
    name = bare(spelling)
    if name == "cooperative_groups::thread_block":
        return BLOCK
    found = _TILE.match(name)
    if found is None or int(found.group(1)) > 32:
        return None
    return int(found.group(1))


def _operator_of(arguments: tuple[Cursor, ...]) -> str:
    """The name of a reduction's operator where the library defines it, else empty."""
    if len(arguments) != 2:
        return ""
    found = re.match(r"cooperative_groups::(\w+)<", bare(arguments[1].type.spelling))
    return "" if found is None else found.group(1)


def _size_of(c: Cursor) -> int | None:
    """The size of a group object; a conversion to its base class is looked through."""
    while True:
        size = group_size(c.type.spelling)
        inner = c.expressions
        if size is not None or c.form not in (Form.UNEXPOSED, Form.PAREN) or len(inner) != 1:
            return size
        c = inner[0]


class GroupReader(LibraryReader):
    """Reads calls on cooperative groups."""

    @abstractmethod
    def call_object(self, c: Cursor) -> Cursor | None:
        """The object of a method call."""

    def group_call(self, name: str, c: Cursor, callee: Cursor, *, used: bool) -> Expr | None:
        """See :meth:`LibraryReader.group_call`."""
        if name in _MAKERS and group_size(c.type.spelling) is not None:
            kind = self.types.read(c.type, c)
            assert isinstance(kind, Struct)
            return Compose((), kind)
        arguments = c.arguments
        target = self.call_object(c)
        if target is None and arguments:
            target, arguments = arguments[0], arguments[1:]
        size = None if target is None else _size_of(target)
        if size is None or not self._is_known(name, size, arguments, c):
            return self._by_body(name, c, callee, used=used)
        found = self._method(name, size, arguments, c)
        if found is None:
            return None
        if name in ("shfl", "shfl_up", "shfl_down", "shfl_xor", "reduce") or name in _COORDINATES:
            return found
        return coerce(found, self.types.read(callee.result_type, c))

    def _by_body(self, name: str, c: Cursor, callee: Cursor, *, used: bool) -> Expr | None:
        """A member or algorithm that is read from the library like a function of the user's."""
        owners = owners_of(callee)
        if name == "sync" and owners[:1] == ("grid_group",):
            self.emit(Barrier("grid", span=self.span_of(c)))
            return None
        if not callee.in_plain_library:
            full = "::".join((*reversed(owners), name))
            raise Refused(reading.COOPERATIVE_GROUPS, f"{full} has no counterpart in the IR", c)
        return self.invoke(c, callee, used=used)

    def _is_known(self, name: str, size: int, arguments: tuple[Cursor, ...], c: Cursor) -> bool:
        """Whether the IR has words of its own for a call."""
        if name in _SIMPLE:
            return True
        if size == BLOCK:
            return name in _COORDINATES
        if name in _VOTES:
            return size == 32
        if name in _SHUFFLES:
            return isinstance(self.types.read(c.type, c), Scalar)
        if name == "reduce":
            kind = self.types.read(c.type, c)
            return isinstance(kind, Scalar) and _operator_of(arguments) in _OPERATORS
        return name in ("meta_group_rank", "meta_group_size")

    def _method(
        self, name: str, size: int, arguments: tuple[Cursor, ...], c: Cursor
    ) -> Expr | None:
        if name == "sync":
            mask = None if size in (BLOCK, 32) else self._mask(size)
            self.emit(Barrier("block" if size == BLOCK else "warp", mask, span=self.span_of(c)))
            return None
        if name in _SIMPLE:
            return self._extent(name, size)
        if name in _COORDINATES:
            builtin = _COORDINATES[name]
            return Compose(tuple(IndexVar(builtin, a) for a in "xyz"), VECTORS["dim3"])
        if name == "meta_group_rank":
            return Binary(BinaryOp.DIV, linear_thread(), Const(size, U32))
        if name == "meta_group_size":
            rounded = Binary(BinaryOp.ADD, block_size(), Const(size - 1, U32))
            return Binary(BinaryOp.DIV, rounded, Const(size, U32))
        if name in _SHUFFLES:
            value, lane = self.values(arguments)
            kind = self.types.read(c.type, c)
            lane_kind = coerce(lane, U32 if name in ("shfl_up", "shfl_down") else _I32)
            return self._shuffle(name, self.convert(value, kind, c), lane_kind, size, c)
        if name in _VOTES:
            (value,) = self.values(arguments)
            kind = U32 if name in ("ballot", "match_any") else _I32
            operand = value if name == "match_any" else coerce(value, _I32)
            return self._collective_result(name, (_FULL, operand), kind, c)
        return self._reduce(arguments, size, c)

    def _extent(self, name: str, size: int) -> Expr:
        if name == "thread_rank":
            if size == BLOCK:
                return linear_thread()
            return Binary(BinaryOp.AND, linear_thread(), Const(size - 1, U32))
        return block_size() if size == BLOCK else Const(size, U32)

    def _mask(self, size: int) -> Expr:
        """The lanes of this thread's tile within its warp."""
        if size == 32:
            return _FULL
        first = Binary(BinaryOp.AND, linear_thread(), Const(32 - size, U32))
        return Binary(BinaryOp.SHL, Const((1 << size) - 1, U32), first)

    def _collective_result(self, op: str, args: tuple[Expr, ...], kind: Type, c: Cursor) -> Read:
        result = self.fresh(op)
        self.emit(Collective(op, args, result, kind, span=self.span_of(c)))
        return Read(VarPlace(result, kind))

    def _shuffle(self, op: str, value: Expr, lane: Expr, size: int, c: Cursor) -> Read:
        args = (self._mask(size), value, lane, Const(size, _I32))
        return self._collective_result(op, args, value.type, c)

    def _reduce(self, arguments: tuple[Cursor, ...], size: int, c: Cursor) -> Expr:
        """``reduce(tile, value, op)``: a butterfly of exchanges, so that every lane has the sum."""
        kind = self.types.read(c.type, c)
        total: Read = self.temporary(self.convert(self.value(arguments[0]), kind, c), "total")
        step = size // 2
        while step:
            other = self._shuffle("shfl_xor", total, Const(step, _I32), size, c)
            combined = self._combined(_operator_of(arguments), total, other)
            total = self.temporary(combined, "total")
            step //= 2
        return total

    def _combined(self, operator: str, a: Expr, b: Expr) -> Expr:
        if operator in _REDUCTIONS:
            return Binary(_REDUCTIONS[operator], a, b)
        assert isinstance(a.type, Scalar)
        if not a.type.is_float:
            return Call("min" if operator == "less" else "max", (a, b), a.type)
        op = BinaryOp.LT if operator == "less" else BinaryOp.GT
        return Select(Binary(op, b, a), b, a)


def linear_thread() -> Expr:
    """``threadIdx`` as one number, x fastest."""
    x, y, z = (IndexVar(Builtin.THREAD, a) for a in "xyz")
    row = Binary(BinaryOp.ADD, y, Binary(BinaryOp.MUL, z, IndexVar(Builtin.BLOCK_DIM, "y")))
    return Binary(BinaryOp.ADD, x, Binary(BinaryOp.MUL, row, IndexVar(Builtin.BLOCK_DIM, "x")))


def block_size() -> Expr:
    """Threads of the block."""
    x, y, z = (IndexVar(Builtin.BLOCK_DIM, a) for a in "xyz")
    return Binary(BinaryOp.MUL, Binary(BinaryOp.MUL, x, y), z)


_I32 = VECTORS["int1"].element
_FULL = Const(0xFFFFFFFF, U32)
