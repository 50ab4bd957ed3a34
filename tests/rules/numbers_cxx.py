"""Runs spellings on the CPU: one program for CUDA's own functions, one for each Ascend chip."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from migrate.core.resources import include_dir
from migrate.ir.types import SCALARS, Scalar
from migrate.rules.model import Example, Prelude, Rule, Signature

COUNT = 3000
"""Values a case is run on."""
DTYPES: dict[str, str] = {
    "i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16", "i32": "int32", "u32": "uint32",
    "i64": "int64", "u64": "uint64", "f16": "uint16", "bf16": "uint16", "f32": "float32",
    "f64": "float64", "bool": "uint8",
}  # fmt: skip
"""What numpy stores a value as; half and bfloat16 are kept as bits."""
_CXX = {
    "i8": "int8_t", "u8": "uint8_t", "i16": "int16_t", "u16": "uint16_t", "i32": "int32_t",
    "u32": "uint32_t", "i64": "int64_t", "u64": "uint64_t", "f32": "float", "f64": "double",
    "bool": "bool",
}  # fmt: skip
CUDA_HALVES = {"f16": "__half", "bf16": "__nv_bfloat16"}
ASCEND_HALVES = {"f16": "half", "bf16": "bfloat16_t"}
OPERANDS = "xyzw"


@dataclass(frozen=True, slots=True)
class Case:
    """One overload of a rule with scalars only, as an example writes it."""

    rule: Rule
    signature: Signature
    cuda: str

    @property
    def name(self) -> str:
        """For test ids."""
        return f"{self.rule.id}[{self.signature}]"

    @property
    def params(self) -> tuple[Scalar, ...]:
        """Operand types."""
        return tuple(SCALARS[p] for p in self.signature.params)


def cases(rules: Sequence[Rule]) -> tuple[Case, ...]:
    """Each overload that an example shows and that takes and gives scalars."""
    out: list[Case] = []
    for rule in rules:
        for example in rule.examples:
            signature = _signature_of(rule, example)
            if signature is not None and all(
                t in SCALARS for t in (*signature.params, signature.result)
            ):
                out.append(Case(rule, signature, example.cuda))
    return tuple(out)


def _signature_of(rule: Rule, example: Example) -> Signature | None:
    name = example.cuda.partition("(")[0]
    kinds = tuple(_IR[t] for _, t in example.types if t in _IR)
    for call in rule.calls:
        if call.name == name and call.params == kinds:
            return call
    return None


_IR = {
    "float": "f32", "double": "f64", "int": "i32", "unsigned int": "u32", "long long": "i64",
    "unsigned long long": "u64", "__half": "f16", "__nv_bfloat16": "bf16", "short": "i16",
    "unsigned short": "u16", "bool": "bool", "signed char": "i8", "unsigned char": "u8",
}  # fmt: skip

Array = npt.NDArray[np.generic]
Inputs = dict[str, tuple[Array, Array, Array]]


def make_inputs(seed: int = 7) -> Inputs:
    """Three independent columns of each type: edges first, then small, then arbitrary values."""
    rng = np.random.default_rng(seed)
    return {
        kind: (_column(kind, 0, rng), _column(kind, 1, rng), _column(kind, 2, rng))
        for kind in DTYPES
    }


_FLOAT_EDGES = (
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 1e-45, 1.2e-38, 3.4e38, -3.4e38, 8388607.5,
    2147483648.0, -2147483648.0, 4294967296.0, 9.3e18, 65504.0, 65520.0, float("inf"), float("-inf"),
    float("nan"), 0.49999997, 16777217.0, 88.7, -103.9, 127.99, -149.5, 1e-7,
)  # fmt: skip


def _column(kind: str, at: int, rng: np.random.Generator) -> Array:
    if kind in ("f32", "f64", "f16", "bf16"):
        edges = np.array(_FLOAT_EDGES, dtype=np.float64)
        edges = np.roll(np.repeat(edges, 1 + 10 * at), 3 * at)[:600]
        near = rng.uniform(-4, 4, COUNT // 3)
        wide = rng.uniform(-1, 1, COUNT) * np.exp2(rng.uniform(-30, 30, COUNT))
        values = np.concatenate([edges, near, wide])[:COUNT]
        with np.errstate(over="ignore"):
            if kind == "f16":
                return values.astype(np.float16).view(np.uint16)
            if kind == "bf16":
                return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
            return values.astype(np.float32 if kind == "f32" else np.float64)
    if kind == "bool":
        return rng.integers(0, 2, COUNT).astype(np.uint8)
    info = np.iinfo(DTYPES[kind])
    edges_int = np.array(
        [0, 1, 2, 31, 32, 33, 63, 64, info.max, info.min, info.max - 1], dtype=object
    )
    edges_int = np.roll(np.repeat(edges_int, 1 + 8 * at), at)
    wide_int = rng.integers(info.min, info.max, COUNT, dtype=DTYPES[kind], endpoint=True)
    small = rng.integers(max(info.min, -50), 50, COUNT // 3)
    mixed = np.array([int(v) for v in [*edges_int, *small]], dtype=DTYPES[kind])
    return np.concatenate([mixed, wide_int])[:COUNT]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Values by case name, and the cases that did not compile with the compiler's first words."""

    values: dict[str, Array]
    missing: dict[str, str]


_FAILED = re.compile(r"In function [^\n]*case_(\d+)\(FILE\*\)[^\n]*\n[^\n]*error: ([^\n]*)")


def run_program(
    items: Sequence[tuple[Case, str]],
    inputs: Inputs,
    headers: str,
    halves: dict[str, str],
    flags: Sequence[str],
    work: Path,
) -> Outcome:
    """Compile and run one C++ program of (case, expression); what does not compile is left out."""
    work.mkdir(parents=True, exist_ok=True)
    source, binary = work / "program.cpp", work / "program"
    command = ["g++", "-O0", "-std=c++17", "-w", "-ffp-contract=off", "-fno-strict-aliasing"]
    command += [*flags, "-fmax-errors=0", "-o", str(binary), str(source)]
    missing: dict[str, str] = {}
    kept = list(items)
    for _ in range(3):
        source.write_text(_source(kept, headers, {**_CXX, **halves}), encoding="utf-8")
        build = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        if build.returncode == 0:
            break
        failed = {int(n): text for n, text in _FAILED.findall(build.stderr)}
        assert failed, build.stderr[:3000]
        missing |= {kept[n][0].name: text for n, text in failed.items()}
        kept = [item for n, item in enumerate(kept) if n not in failed]
    else:
        raise AssertionError(build.stderr[:3000])
    data = b"".join(a.tobytes() for kind in DTYPES for a in inputs[kind])
    (work / "inputs").write_bytes(data)
    subprocess.run([str(binary), "inputs", "outputs"], cwd=work, timeout=120, check=True)
    raw = (work / "outputs").read_bytes()
    values: dict[str, Array] = {}
    at = 0
    for case, _ in kept:
        dtype = np.dtype(DTYPES[case.signature.result])
        values[case.name] = np.frombuffer(raw, dtype, COUNT, at)
        at += dtype.itemsize * COUNT
    assert at == len(raw)
    return Outcome(values, missing)


def _source(items: Sequence[tuple[Case, str]], headers: str, types: dict[str, str]) -> str:
    lines = [
        headers,
        "#include <cstdio>",
        "#include <cstring>",
        "#include <cstdint>",
        f"constexpr int N = {COUNT};",
    ]
    for kind in DTYPES:
        lines.append(f"static {types[kind]} in_{kind}[3][N];")
    for n, (case, text) in enumerate(items):
        params = case.signature.params
        lines.append(f"static void case_{n}(FILE* out) {{ for (int i = 0; i < N; ++i) {{")
        lines += [f"  {types[p]} {OPERANDS[k]} = in_{p}[{k % 3}][i];" for k, p in enumerate(params)]
        result = types[case.signature.result]
        lines.append(
            f"  {result} r{{}}; try {{ r = static_cast<{result}>({text}); }} catch (...) {{}}"
            " fwrite(&r, sizeof(r), 1, out); } }"
        )
    lines.append(
        'int main(int, char** argv) { FILE* in = fopen(argv[1], "rb"); FILE* out = fopen(argv[2], "wb");'
    )
    lines += [
        f"  if (fread((void*)in_{kind}, sizeof(in_{kind}), 1, in) != 1) return 1;"
        for kind in DTYPES
    ]
    lines += [f"  case_{n}(out);" for n in range(len(items))]
    lines.append("  fclose(out); return 0; }")
    return "\n".join(lines) + "\n"


def emulator_flags(name: str) -> list[str]:
    """``-I`` for one of the two CPU runtimes."""
    return ["-I", str(include_dir() / name)]


def prelude_text(items: Sequence[Prelude]) -> str:
    """Helpers once each, in order."""
    seen: dict[str, str] = {}
    for item in items:
        seen.setdefault(item.name, item.text)
    return "\n".join(seen.values())


def as_float(values: Array, kind: str) -> npt.NDArray[np.float64]:
    """Stored values as doubles."""
    if kind == "f16":
        return values.view(np.float16).astype(np.float64)
    if kind == "bf16":
        return (values.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        return values.astype(np.float64)


def ulps(got: Array, want: Array, kind: str) -> npt.NDArray[np.float64]:
    """Distance in units in the last place; 0 where both are NaN, inf where one is."""
    bits = {"f16": np.uint16, "bf16": np.uint16, "f32": np.uint32, "f64": np.uint64}[kind]
    signed = {np.uint16: np.int32, np.uint32: np.int64, np.uint64: np.int64}[bits]
    a, b = got.view(bits).astype(signed), want.view(bits).astype(signed)
    low = 1 << (np.dtype(bits).itemsize * 8 - 1)
    if bits is np.uint64:
        a, b = got.view(np.int64), want.view(np.int64)
        a, b = (
            np.where(a < 0, np.int64(-(2**63)) - a, a),
            np.where(b < 0, np.int64(-(2**63)) - b, b),
        )
    else:
        a, b = np.where(a >= low, low - a, a), np.where(b >= low, low - b, b)
    nan_a, nan_b = np.isnan(as_float(got, kind)), np.isnan(as_float(want, kind))
    with np.errstate(over="ignore"):
        exact = np.abs(a - b).astype(np.float64)
    far = np.abs(a.astype(np.float64) - b.astype(np.float64))
    distance = np.where(far < 2.0**62, exact, far)
    return np.where(nan_a & nan_b, 0.0, np.where(nan_a | nan_b, np.inf, distance))
