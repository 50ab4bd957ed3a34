"""The C printer: what it writes for small pieces of IR, and that its text means what the IR means."""

from __future__ import annotations

import ctypes
import math
import random
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from migrate.backends.clike import CPrinter, Writer
from migrate.backends.clike_expr import ExprPrinter
from migrate.backends.clike_types import float_digits
from migrate.ir.expr import (
    Binary,
    BinaryOp,
    Cast,
    Const,
    Expr,
    Read,
    Select,
    Unary,
    UnaryOp,
    VarPlace,
)
from migrate.ir.kernel import Module
from migrate.ir.parser import parse_module
from migrate.ir.types import BOOL, F32, F64, I32, SCALARS, Kind, Scalar
from tests.backends.ascend_plain_dialect import PlainDialect
from tests.frontend.ir_eval import Machine, fit

needs_gxx = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")


def printed(body: str, params: str = "n: i32, x: ptr<global, f32>, c: ptr<global, i8>") -> str:
    text = f'module "m"\nkernel k "k" ({params}) mangled "" qualified "k" bounds 0 {{\n{body}\n}}\n'
    module = parse_module(text)
    writer = Writer()
    CPrinter(PlainDialect(module)).body(writer, module.kernels[0].body)
    return writer.text()


@pytest.mark.parametrize(
    ("ir", "expected"),
    [
        ("var i: i32 = cast<i32>(((blockIdx.x * blockDim.x) + threadIdx.x))",
         "int i = blockIdx.x * blockDim.x + threadIdx.x;"),
        ("x[n] = (x[n] * (x[0:i32] + 1.0:f32))", "x[n] *= *x + 1.0f;"),
        ("x[n] = ((x[n] - x[0:i32]) - (x[1:i32] - x[2:i32]))",
         "x[n] = x[n] - *x - (x[1] - x[2]);"),
        ("x[n] = cast<f32>((cast<f64>(x[n]) * 2.5:f64))", "x[n] *= 2.5;"),
        ("c[n] = cast<i8>((cast<i32>(c[n]) + 1:i32))", "++c[n];"),
        ("x[n] = cast<f32>(n)", "x[n] = n;"),
        ("n = cast<i32>(x[n])", "n = (int)x[n];"),
        ("n = cast<i32>((cast<i64>(n) * 3:i64))", "n *= 3ll;"),
        ("n = ((n & 7:i32) | (n << 2:i32))", "n = (n & 7) | (n << 2);"),
        ("x[n] = ((n < 3:i32) ? cast<f32>(n) : (- x[n]))", "x[n] = n < 3 ? n : -x[n];"),
        ("n = (- -5:i32)", "n = -(-5);"),
        ("n = -2147483648:i32", "n = (-2147483647 - 1);"),
        ("var u: u32 = (cast<u32>(n) / 3:u32)", "uint32_t u = n / 3u;"),
    ],
)  # fmt: skip
def test_statements(ir: str, expected: str) -> None:
    assert printed(ir) == expected + "\n"


def test_narrow_arithmetic_is_cut_to_its_width() -> None:
    """``i8 + i8`` in IR wraps at eight bits; in C++ it is an ``int``."""
    text = printed("n = cast<i32>((c[0:i32] + c[1:i32]))")
    assert text == "n = (int8_t)(*c + c[1]);\n"


def test_continue_reaches_a_step_that_is_no_expression() -> None:
    text = printed(
        "for {\ninit {\nvar i: i32 = 0:i32\n}\nwhile (i < n)\nstep {\nif (i < 5:i32) {\n"
        "i = (i + 1:i32)\n} else {\ni = (i + 2:i32)\n}\n}\nbody {\nif (i == 3:i32) {\ncontinue\n}\n"
        "x[i] = 0.0:f32\n}\n}"
    )
    assert "for (bool first = true;; first = false) {" in text
    step = text.index("if (!first)")
    assert step < text.index("continue;")


def test_shortest_float_literals_read_back() -> None:
    rng = random.Random(7)
    for _ in range(2000):
        value = struct.unpack("<f", struct.pack("<I", rng.getrandbits(32)))[0]
        if math.isfinite(value):
            back = struct.unpack("<f", struct.pack("<f", float(float_digits(value, True))))[0]
            assert back == value
    assert float_digits(1.0, True) == "1.0"
    assert float_digits(1e20, False) == "1.0e20"


class Grammar:
    """Random typed expressions without undefined behaviour (division by zero, wide shifts)."""

    KINDS = tuple(SCALARS[k] for k in ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"))

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.names = {f"v_{k}": SCALARS[k] for k in SCALARS if k not in ("f16", "bf16")}

    def leaf(self, t: Scalar) -> Expr:
        if self.rng.random() < 0.5:
            return Read(VarPlace(f"v_{t.kind.value}", t))
        if t.kind is Kind.BOOL:
            return Const(self.rng.random() < 0.5, t)
        if t.is_float:
            return Const(self.rng.choice([0.0, 1.0, -2.5, 0.125, 3.0, 1e10]), t)
        low = -(1 << (t.bits - 1)) if t.is_signed else 0
        high = (1 << (t.bits - (1 if t.is_signed else 0))) - 1
        edges = [0, 1, 2, 7, low, high, high - 1, min(high, 100)]
        return Const(self.rng.choice(edges), t)

    def expr(self, t: Scalar, depth: int) -> Expr:
        pick = self.rng.random()
        if depth == 0 or pick < 0.1:
            return self.leaf(t)
        if pick < 0.35:
            source = self.any_type(t)
            return Cast(self.expr(source, depth - 1), t)
        if pick < 0.45:
            return Select(
                self.expr(BOOL, depth - 1), self.expr(t, depth - 1), self.expr(t, depth - 1)
            )
        if t.kind is Kind.BOOL:
            return self.boolean(depth)
        if pick < 0.55:
            op = UnaryOp.NEG if t.is_float or self.rng.random() < 0.5 else UnaryOp.BITNOT
            return Unary(op, self.expr(t, depth - 1))
        return self.arithmetic(t, depth)

    def any_type(self, goal: Scalar) -> Scalar:
        if goal.is_integer:  # float to integer out of range is undefined
            return self.rng.choice([*self.KINDS, BOOL])
        return self.rng.choice([*self.KINDS, BOOL, F32, F64])

    def boolean(self, depth: int) -> Expr:
        pick = self.rng.random()
        if pick < 0.3:
            op = self.rng.choice([BinaryOp.LAND, BinaryOp.LOR])
            return Binary(op, self.expr(BOOL, depth - 1), self.expr(BOOL, depth - 1))
        if pick < 0.4:
            return Unary(UnaryOp.NOT, self.expr(BOOL, depth - 1))
        t = self.rng.choice([*self.KINDS, F32, F64])
        ops = [BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE, BinaryOp.EQ, BinaryOp.NE]
        return Binary(self.rng.choice(ops), self.expr(t, depth - 1), self.expr(t, depth - 1))

    def arithmetic(self, t: Scalar, depth: int) -> Expr:
        ops = [BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL]
        if not t.is_float:
            ops += [
                BinaryOp.AND,
                BinaryOp.OR,
                BinaryOp.XOR,
                BinaryOp.SHL,
                BinaryOp.SHR,
                BinaryOp.DIV,
            ]
        op = self.rng.choice(ops)
        lhs = self.expr(t, depth - 1)
        if op in (BinaryOp.SHL, BinaryOp.SHR):
            # The left side of a shift has its promoted type.
            side = t if t.bits >= 32 else I32
            shift = Binary(
                op, Cast(lhs, side) if side != t else lhs, Const(self.rng.randrange(7), I32)
            )
            return Cast(shift, t) if side != t else shift
        if op is BinaryOp.DIV:
            return Binary(op, lhs, Const(self.rng.choice([1, 2, 3, 7, 100]), t))
        return Binary(op, lhs, self.expr(t, depth - 1))


@needs_gxx
@pytest.mark.parametrize("seed", range(3))
def test_printed_text_means_what_the_ir_means(tmp_path: Path, seed: int) -> None:
    """Random expressions: the interpreter of the IR against g++ on the printed text."""
    grammar = Grammar(seed)
    kinds = [*Grammar.KINDS, F32, F64, BOOL]
    cases = [grammar.expr(grammar.rng.choice(kinds), 5) for _ in range(250)]
    printer = ExprPrinter(PlainDialect(Module("m")))
    spelled = printer.dialect
    params = ", ".join(f"{spelled.type(t)} {n}" for n, t in grammar.names.items())
    lines = [
        f"  {{ {spelled.type(e.type)} r = {printer.convert(e)}; std::memcpy(out + {16 * i}, &r, sizeof r);"
        f" {spelled.type(e.type)} q = {printer.exact(e).text}; std::memcpy(out + {16 * i + 8}, &q, sizeof q); }}"
        for i, e in enumerate(cases)
    ]
    text = (
        "#include <cstdint>\n#include <cstring>\n" + f'extern "C" void k(char* out, {params}) {{\n'
    )
    source, library = tmp_path / "k.cpp", tmp_path / "k.so"
    source.write_text(text + "\n".join(lines) + "\n}\n")
    command = ["g++", "-std=c++17", "-O1", "-fwrapv", "-ffp-contract=off", "-w", "-shared", "-fPIC"]
    subprocess.run([*command, str(source), "-o", str(library)], check=True, timeout=300)
    function = ctypes.CDLL(str(library)).k
    machine = Machine(Module("m"))
    for _ in range(6):
        values = {n: value_of(grammar.rng, t) for n, t in grammar.names.items()}
        out = ctypes.create_string_buffer(16 * len(cases))
        function(out, *(C_TYPES[t.kind](values[n]) for n, t in grammar.names.items()))
        scope = {n: [v] for n, v in values.items()}
        for i, e in enumerate(cases):
            wanted = encode(fit(machine.expr(e, scope), e.type), e.type)
            size = len(wanted)
            for at in (16 * i, 16 * i + 8):
                assert same(out.raw[at : at + size], wanted, e.type), lines[i]


C_TYPES = {
    Kind.BOOL: ctypes.c_bool, Kind.I8: ctypes.c_int8, Kind.U8: ctypes.c_uint8,
    Kind.I16: ctypes.c_int16, Kind.U16: ctypes.c_uint16, Kind.I32: ctypes.c_int32,
    Kind.U32: ctypes.c_uint32, Kind.I64: ctypes.c_int64, Kind.U64: ctypes.c_uint64,
    Kind.F32: ctypes.c_float, Kind.F64: ctypes.c_double,
}  # fmt: skip
FORMATS = {
    Kind.BOOL: "<?", Kind.I8: "<b", Kind.U8: "<B", Kind.I16: "<h", Kind.U16: "<H", Kind.I32: "<i",
    Kind.U32: "<I", Kind.I64: "<q", Kind.U64: "<Q", Kind.F32: "<f", Kind.F64: "<d",
}  # fmt: skip


def value_of(rng: random.Random, t: Scalar) -> object:
    if t.kind is Kind.BOOL:
        return rng.random() < 0.5
    if t.is_float:
        return rng.choice([0.0, -1.5, 2.0, 1024.0, 0.25])
    return fit(rng.choice([0, 1, -1, 5, 127, 200, -128, 65535, 2**31 - 1, -(2**31), 2**63 - 1]), t)


def encode(value: object, t: Scalar) -> bytes:
    return struct.pack(FORMATS[t.kind], value)


def same(got: bytes, wanted: bytes, t: Scalar) -> bool:
    if got == wanted or not t.is_float:
        return got == wanted
    a, b = (struct.unpack(FORMATS[t.kind], x)[0] for x in (got, wanted))
    return math.isnan(a) and math.isnan(b)
