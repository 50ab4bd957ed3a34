"""An interpreter of the SIMT dialect over byte-addressed memory, with exact C semantics.

Written from ``docs/ir.md``: integers wrap, division truncates, each float operation is rounded to
its type. Threads run one after another, so it covers kernels without barriers. Every memory
access is checked: outside its buffer, or at a place that is not aligned, raises
:class:`BadAccess`; a read of a variable that was never written raises :class:`Undefined`.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

from migrate.analysis.constants import round_to, wrap
from migrate.analysis.layout import field_offset, members, type_bytes
from migrate.ir.expr import (
    AddressOf,
    ArrElem,
    Binary,
    BinaryOp,
    Bitcast,
    Builtin,
    Call,
    Cast,
    Compose,
    Const,
    Expr,
    Extract,
    FieldPlace,
    IndexVar,
    Invoke,
    NullPtr,
    Place,
    PtrAdd,
    PtrDiff,
    PtrElem,
    Read,
    Select,
    Unary,
    UnaryOp,
    VarPlace,
)
from migrate.ir.kernel import Function, Kernel, Module
from migrate.ir.simt import (
    Assign,
    Atomic,
    AtomicOp,
    Break,
    CallStmt,
    Case,
    Continue,
    Declare,
    DoWhile,
    Effect,
    Fence,
    For,
    If,
    Return,
    Stmt,
    Switch,
    While,
)
from migrate.ir.types import Array, Kind, Pointer, Scalar, Struct, Type, Vector

Number = int | float | bool
Dim = tuple[int, int, int]

CODES = {
    Kind.BOOL: "?", Kind.I8: "b", Kind.U8: "B", Kind.I16: "h", Kind.U16: "H", Kind.I32: "i",
    Kind.U32: "I", Kind.I64: "q", Kind.U64: "Q", Kind.F16: "e", Kind.F32: "f", Kind.F64: "d",
}  # fmt: skip


class BadAccess(Exception):
    """Memory is accessed outside a buffer or unaligned."""


class Undefined(Exception):
    """A variable is read before it was written."""


@dataclass(eq=False)
class Memory:
    """One buffer; ``known`` marks the bytes that have been written."""

    data: bytearray
    known: bytearray

    @staticmethod
    def of(content: bytes) -> Memory:
        """A buffer with defined content."""
        return Memory(bytearray(content), bytearray(b"\x01" * len(content)))

    @staticmethod
    def unset(size: int) -> Memory:
        """A variable's storage."""
        return Memory(bytearray(size), bytearray(size))


@dataclass(frozen=True)
class Address:
    """A place in memory; ``memory`` ``None`` is the null pointer."""

    memory: Memory | None
    offset: int

    def moved(self, by: int) -> Address:
        """That many bytes further on."""
        return Address(self.memory, self.offset + by)


Value = Number | Address | tuple["Value", ...]
"""Scalars, pointers, and the members of structs, vectors and arrays in order."""


class _Leave(Exception):
    pass


class _Break(_Leave):
    pass


class _Continue(_Leave):
    pass


class _Return(_Leave):
    def __init__(self, value: Value | None) -> None:
        super().__init__()
        self.value = value


INTRINSICS: dict[str, Callable[..., Number]] = {
    "min": min, "max": max, "abs": abs, "fabsf": abs, "sqrtf": math.sqrt, "floorf": math.floor,
    "expf": math.exp, "fmaxf": max, "fminf": min, "tanhf": math.tanh,
}  # fmt: skip


def run_kernel(
    kernel: Kernel,
    module: Module,
    args: Mapping[str, Value],
    variables: Mapping[str, Memory],
    grid: Dim = (1, 1, 1),
    block: Dim = (1, 1, 1),
) -> None:
    """Run every thread of a launch. ``args`` are the parameters by name (pointers as
    :class:`Address`), ``variables`` the storage of module globals."""
    for bz, by, bx in product(*(range(n) for n in reversed(grid))):
        for tz, ty, tx in product(*(range(n) for n in reversed(block))):
            index = {
                Builtin.THREAD: (tx, ty, tz),
                Builtin.BLOCK: (bx, by, bz),
                Builtin.BLOCK_DIM: block,
                Builtin.GRID_DIM: grid,
            }
            thread = Thread(module, variables, index)
            thread.call(kernel, [args[p.name] for p in kernel.params])


class Thread:
    """One CUDA thread."""

    def __init__(
        self, module: Module, variables: Mapping[str, Memory], index: Mapping[Builtin, Dim]
    ) -> None:
        self._module = module
        self._variables = variables
        self._index = index
        self._frames: list[dict[str, Memory]] = []

    def call(self, function: Function | Kernel, args: list[Value]) -> Value | None:
        """Run a function's body."""
        frame: dict[str, Memory] = {}
        self._frames.append(frame)
        self._pointers: dict[int, Address] = getattr(self, "_pointers", {})
        try:
            for p, value in zip(function.params, args, strict=True):
                frame[p.name] = self._storage(p.type)
                self._store(Address(frame[p.name], 0), p.type, value)
            self._run(function.body)
        except _Return as done:
            return done.value
        finally:
            self._frames.pop()
        return None

    # --- memory

    def _size(self, kind: Type) -> int:
        return type_bytes(kind, self._module) or 0

    def _storage(self, kind: Type) -> Memory:
        return Memory.unset(self._size(kind))

    def _check(self, at: Address, size: int) -> Memory:
        if at.memory is None:
            raise BadAccess("null pointer")
        if at.offset < 0 or at.offset + size > len(at.memory.data):
            raise BadAccess(f"byte {at.offset} of {len(at.memory.data)}")
        if at.offset % size:
            raise BadAccess(f"byte {at.offset} is not aligned to {size}")
        return at.memory

    def _load(self, at: Address, kind: Type) -> Value:
        match kind:
            case Scalar(k):
                memory = self._check(at, kind.bytes)
                span = slice(at.offset, at.offset + kind.bytes)
                if not all(memory.known[span]):
                    raise Undefined(f"byte {at.offset}")
                raw = bytes(memory.data[span])
                if k is Kind.BF16:
                    return float(struct.unpack("<f", b"\0\0" + raw)[0])
                value: Number = struct.unpack(f"<{CODES[k]}", raw)[0]
                return value
            case Pointer():
                memory = self._check(at, 8)
                if not all(memory.known[at.offset : at.offset + 8]):
                    raise Undefined(f"byte {at.offset}")
                handle: int = struct.unpack_from("<q", memory.data, at.offset)[0]
                return self._pointers[handle]
            case Array(element, length):
                step = self._size(element)
                return tuple(self._load(at.moved(i * step), element) for i in range(length))
            case Vector() | Struct():
                return tuple(
                    self._load(at.moved(field_offset(kind, name, self._module)), member)
                    for name, member in members(kind, self._module)
                )
            case _:
                raise TypeError(f"load of {kind}")

    def _store(self, at: Address, kind: Type, value: Value) -> None:
        match kind:
            case Scalar(k):
                memory = self._check(at, kind.bytes)
                if k is Kind.BF16:
                    raw = struct.pack("<f", value)[2:]
                else:
                    raw = struct.pack(f"<{CODES[k]}", value)
                self._put(memory, at.offset, raw)
            case Pointer():
                assert isinstance(value, Address)
                memory = self._check(at, 8)
                handle = len(self._pointers)
                self._pointers[handle] = value
                self._put(memory, at.offset, struct.pack("<q", handle))
            case Array(element):
                assert isinstance(value, tuple)
                for i, part in enumerate(value):
                    self._store(at.moved(i * self._size(element)), element, part)
            case Vector() | Struct():
                assert isinstance(value, tuple)
                for (name, member), part in zip(members(kind, self._module), value, strict=True):
                    self._store(at.moved(field_offset(kind, name, self._module)), member, part)
            case _:
                raise TypeError(f"store of {kind}")

    @staticmethod
    def _put(memory: Memory, offset: int, raw: bytes) -> None:
        memory.data[offset : offset + len(raw)] = raw
        memory.known[offset : offset + len(raw)] = b"\x01" * len(raw)

    def _address(self, p: Place) -> Address:
        match p:
            case VarPlace(name):
                frame = self._frames[-1]
                return Address(frame[name] if name in frame else self._variables[name], 0)
            case PtrElem(pointer, index):
                base = self._eval(pointer)
                assert isinstance(base, Address)
                return base.moved(self._int(index) * self._size(p.type))
            case ArrElem(base_place, index):
                at = self._int(index)
                kind = base_place.type
                if isinstance(kind, Array) and kind.length and not 0 <= at < kind.length:
                    raise BadAccess(f"element {at} of {kind}")
                return self._address(base_place).moved(at * self._size(p.type))
            case FieldPlace(base_place, field):
                offset = field_offset(base_place.type, field, self._module)
                return self._address(base_place).moved(offset)

    # --- expressions

    def _int(self, e: Expr) -> int:
        value = self._eval(e)
        assert isinstance(value, int)
        return int(value)

    def _number(self, e: Expr) -> Number:
        value = self._eval(e)
        assert isinstance(value, int | float)
        return value

    def _eval(self, e: Expr) -> Value:
        match e:
            case Const(value):
                return value
            case NullPtr():
                return Address(None, 0)
            case IndexVar(builtin, axis):
                return self._index[builtin]["xyz".index(axis)]
            case Read(place):
                return self._load(self._address(place), place.type)
            case AddressOf(place):
                return self._address(place)
            case Unary(op, operand):
                return _unary(op, self._number(operand), _scalar(operand.type))
            case Binary():
                return self._binary(e)
            case Select(cond, then, other):
                return self._eval(then) if self._eval(cond) else self._eval(other)
            case Cast(operand, kind):
                return self._cast(operand, kind)
            case Bitcast(operand, kind):
                return self._bits(operand, kind)
            case Call(name, args, kind):
                values = [self._number(a) for a in args]
                return convert(INTRINSICS[name](*values), _scalar(kind))
            case Invoke(function, args):
                result = self.call(self._module.function(function), [self._eval(a) for a in args])
                assert result is not None
                return result
            case PtrAdd(pointer, offset):
                base = self._eval(pointer)
                assert isinstance(base, Address) and isinstance(e.type, Pointer)
                return base.moved(self._int(offset) * self._size(e.type.pointee))
            case PtrDiff(lhs, rhs):
                a, b = self._eval(lhs), self._eval(rhs)
                assert isinstance(a, Address) and isinstance(b, Address)
                assert a.memory is b.memory and isinstance(lhs.type, Pointer)
                return (a.offset - b.offset) // self._size(lhs.type.pointee)
            case Compose(parts):
                return tuple(self._eval(p) for p in parts)
            case Extract(value, field):
                whole = self._eval(value)
                assert isinstance(whole, tuple)
                names = [n for n, _ in members(value.type, self._module)]
                return whole[names.index(field)]
            case _:
                raise TypeError(f"{type(e).__name__} is not interpreted")

    def _cast(self, operand: Expr, kind: Type) -> Value:
        value = self._eval(operand)
        if isinstance(value, Address):
            return value
        assert isinstance(value, int | float)
        return convert(value, _scalar(kind))

    def _bits(self, operand: Expr, kind: Type) -> Value:
        value = self._eval(operand)
        if isinstance(value, Address):
            return value
        source, target = _scalar(operand.type), _scalar(kind)
        packed = struct.pack(f"<{CODES[source.kind]}", value)
        found: Number = struct.unpack(f"<{CODES[target.kind]}", packed)[0]
        return found

    def _binary(self, e: Binary) -> Value:
        if e.op is BinaryOp.LAND:
            return bool(self._eval(e.lhs)) and bool(self._eval(e.rhs))
        if e.op is BinaryOp.LOR:
            return bool(self._eval(e.lhs)) or bool(self._eval(e.rhs))
        a, b = self._eval(e.lhs), self._eval(e.rhs)
        if isinstance(a, Address) and isinstance(b, Address):
            return _compare_addresses(e.op, a, b)
        assert isinstance(a, int | float) and isinstance(b, int | float)
        return operate(e.op, a, b, _scalar(e.lhs.type))

    # --- statements

    def _run(self, stmts: tuple[Stmt, ...]) -> None:
        for s in stmts:
            self._stmt(s)

    def _loop(self, body: tuple[Stmt, ...]) -> bool:
        """Runs a loop's body once; false when it was left."""
        try:
            self._run(body)
        except _Continue:
            return True
        except _Break:
            return False
        return True

    def _stmt(self, s: Stmt) -> None:
        frame = self._frames[-1]
        match s:
            case Declare(name, kind, init):
                value = None if init is None else self._eval(init)
                frame[name] = self._storage(kind)
                if value is not None:
                    self._store(Address(frame[name], 0), kind, value)
            case Assign(place, value_of):
                value = self._eval(value_of)
                self._store(self._address(place), place.type, value)
            case If(cond, then, other):
                self._run(then if self._eval(cond) else other)
            case For(init_part, cond, step, body):
                self._run(init_part)
                while self._eval(cond) and self._loop(body):
                    self._run(step)
            case While(cond, body):
                while self._eval(cond) and self._loop(body):
                    pass
            case DoWhile(body, cond):
                while self._loop(body) and self._eval(cond):
                    pass
            case Switch(value_of, cases):
                self._switch(self._int(value_of), cases)
            case Break():
                raise _Break
            case Continue():
                raise _Continue
            case Return(value_of):
                raise _Return(None if value_of is None else self._eval(value_of))
            case CallStmt(function, args, result, kind):
                value = self.call(self._module.function(function), [self._eval(a) for a in args])
                if result is not None and value is not None:
                    frame[result] = self._storage(kind)
                    self._store(Address(frame[result], 0), kind, value)
            case Atomic():
                self._atomic(s)
            case Fence():
                pass
            case Effect("assert", (cond,)):
                assert self._eval(cond), "an assertion of the kernel"
            case _:
                raise TypeError(f"{type(s).__name__} is not interpreted")

    def _switch(self, value: int, arms: tuple[Case, ...]) -> None:

        chosen = [c for c in arms if value in c.values] or [c for c in arms if not c.values]
        if chosen:
            try:
                self._run(chosen[0].body)
            except _Break:
                return

    def _atomic(self, s: Atomic) -> None:
        operands = [self._number(x) for x in s.operands]
        at, kind = self._address(s.place), _scalar(s.place.type)
        old = self._load(at, kind)
        assert isinstance(old, int | float)
        self._store(at, kind, _atomic_result(s.op, old, operands, kind))
        if s.result is not None:
            frame = self._frames[-1]
            frame[s.result] = self._storage(kind)
            self._store(Address(frame[s.result], 0), kind, old)


def _scalar(kind: Type) -> Scalar:
    assert isinstance(kind, Scalar)
    return kind


def convert(value: Number, kind: Scalar) -> Number:
    """C's conversion to a scalar type."""
    if kind.kind is Kind.BOOL:
        return value != 0
    if kind.is_float:
        return round_to(float(value), kind)
    return wrap(int(value), kind)


def _unary(op: UnaryOp, value: Number, kind: Scalar) -> Number:
    match op:
        case UnaryOp.NEG:
            return convert(-value, kind)
        case UnaryOp.BITNOT:
            return convert(~int(value), kind)
        case UnaryOp.NOT:
            return not value


def operate(op: BinaryOp, a: Number, b: Number, kind: Scalar) -> Number:
    """One operator on operands of one type (shift amounts aside)."""
    compared = _comparison(op, a, b)
    if compared is not None:
        return compared
    if kind.is_float:
        return round_to(_float(op, float(a), float(b)), kind)
    return wrap(_integer(op, int(a), int(b), kind), kind)


def _comparison(op: BinaryOp, a: Number, b: Number) -> bool | None:
    match op:
        case BinaryOp.LT:
            return a < b
        case BinaryOp.LE:
            return a <= b
        case BinaryOp.GT:
            return a > b
        case BinaryOp.GE:
            return a >= b
        case BinaryOp.EQ:
            return a == b
        case BinaryOp.NE:
            return a != b
        case _:
            return None


def _float(op: BinaryOp, a: float, b: float) -> float:
    match op:
        case BinaryOp.ADD:
            return a + b
        case BinaryOp.SUB:
            return a - b
        case BinaryOp.MUL:
            return a * b
        case BinaryOp.DIV:
            if b == 0:
                if a == 0 or math.isnan(a):
                    return math.nan
                return math.copysign(math.inf, a) * math.copysign(1, b)
            return a / b
        case _:
            raise TypeError(f"{op} on floats")


def _integer(op: BinaryOp, a: int, b: int, kind: Scalar) -> int:
    match op:
        case BinaryOp.ADD:
            return a + b
        case BinaryOp.SUB:
            return a - b
        case BinaryOp.MUL:
            return a * b
        case BinaryOp.DIV:
            return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        case BinaryOp.REM:
            return abs(a) % abs(b) * (-1 if a < 0 else 1)
        case BinaryOp.SHL:
            return a << (b % kind.bits)
        case BinaryOp.SHR:
            return a >> (b % kind.bits)
        case BinaryOp.AND:
            return a & b
        case BinaryOp.OR:
            return a | b
        case BinaryOp.XOR:
            return a ^ b
        case _:
            raise TypeError(f"{op} on integers")


def _compare_addresses(op: BinaryOp, a: Address, b: Address) -> bool:
    same = a.memory is b.memory
    match op:
        case BinaryOp.EQ:
            return same and a.offset == b.offset
        case BinaryOp.NE:
            return not (same and a.offset == b.offset)
        case _:
            assert same
            found = _comparison(op, a.offset, b.offset)
            assert found is not None
            return found


def _atomic_result(op: AtomicOp, old: Number, operands: list[Number], kind: Scalar) -> Number:
    first = operands[0]
    match op:
        case AtomicOp.ADD:
            return operate(BinaryOp.ADD, old, first, kind)
        case AtomicOp.SUB:
            return operate(BinaryOp.SUB, old, first, kind)
        case AtomicOp.MIN:
            return min(old, first)
        case AtomicOp.MAX:
            return max(old, first)
        case AtomicOp.EXCH:
            return first
        case AtomicOp.CAS:
            return operands[1] if old == first else old
        case AtomicOp.AND:
            return int(old) & int(first)
        case AtomicOp.OR:
            return int(old) | int(first)
        case AtomicOp.XOR:
            return int(old) ^ int(first)
        case AtomicOp.INC:
            return 0 if old >= first else int(old) + 1
        case AtomicOp.DEC:
            return first if old == 0 or old > first else int(old) - 1
