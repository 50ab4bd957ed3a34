"""Runs vector spellings of Ascend 910B: each in a kernel of its own on the CPU runtime for Ascend C."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numbers_cxx import COUNT, DTYPES, OPERANDS, Array, Case, Inputs, Outcome

from migrate.emulation.asc_rewrite import compile_flags, rewrite_asc
from migrate.rules.model import Form, Spelling

LANES = COUNT // 64 * 64
"""Elements of a tile: whole repeats of the vector unit."""
_TYPES = {
    "i16": "int16_t", "u16": "uint16_t", "i32": "int32_t", "u32": "uint32_t", "i64": "int64_t",
    "f16": "half", "bf16": "bfloat16_t", "f32": "float",
}  # fmt: skip
_KERNEL = """
__global__ __vector__ void case_{n}({params}, __gm__ {result}* out)
{{
    AscendC::TPipe pipe;
{buffers}
{loads}
    AscendC::PipeBarrier<PIPE_ALL>();
{body}
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::GlobalTensor<{result}> outGlobal;
    outGlobal.SetGlobalBuffer(out, LANES);
    AscendC::DataCopy(outGlobal, dst, LANES);
}}
"""


def vector_types(case: Case) -> bool:
    """True when the unit stores all types of the overload in tiles."""
    return all(t in _TYPES for t in (*case.signature.params, case.signature.result))


def _buffer(name: str, kind: str) -> list[str]:
    return [
        f"    AscendC::TBuf<AscendC::TPosition::VECCALC> {name}Buf;",
        f"    pipe.InitBuffer({name}Buf, LANES * sizeof({kind}));",
        f"    AscendC::LocalTensor<{kind}> {name} = {name}Buf.Get<{kind}>();",
    ]


def _kernel(n: int, case: Case, spelling: Spelling) -> str:
    result = _TYPES[case.signature.result]
    params, buffers, loads = [], _buffer("dst", result), []
    for k, p in enumerate(case.signature.params):
        name, kind = OPERANDS[k], _TYPES[p]
        params.append(f"__gm__ {kind}* {name}In")
        buffers += _buffer(name, kind)
        loads += [
            f"    AscendC::GlobalTensor<{kind}> {name}Global;",
            f"    {name}Global.SetGlobalBuffer({name}In, LANES);",
            f"    AscendC::DataCopy({name}, {name}Global, LANES);",
        ]
    names = {"dst": "dst", "count": "LANES"}
    for s in spelling.scratch:
        buffers += _buffer(f"{s.name}Tile", result if s.type == "dst" else _TYPES[s.type])
        names[s.name] = f"{s.name}Tile"
    operands = list(OPERANDS)
    if spelling.form is Form.VECTOR_TS:
        operands[1] = "scalar"
        loads.append(f"    const {_TYPES[case.signature.params[1]]} scalar = 2;")
    if spelling.form is Form.VECTOR_ST:
        operands[0] = "scalar"
        loads.append(f"    const {_TYPES[case.signature.params[0]]} scalar = 2;")
    text = spelling.fill(operands, names)
    return _KERNEL.format(
        n=n,
        params=", ".join(params),
        result=result,
        buffers="\n".join(buffers),
        loads="\n".join(loads),
        body="\n".join(f"    {line}" for line in text.splitlines()),
    )


def _host(n: int, case: Case) -> list[str]:
    args = [f"({_TYPES[p]}*)device_{p}_{k % 3}" for k, p in enumerate(case.signature.params)]
    result = _TYPES[case.signature.result]
    return [
        f"  case_{n}<<<1, nullptr, stream>>>({', '.join(args)}, ({result}*)result);",
        "  aclrtSynchronizeStream(stream);",
        f"  aclrtMemcpy(host, sizeof(host), result, LANES * sizeof({result}), ACL_MEMCPY_DEVICE_TO_HOST);",
        f"  fwrite(host, sizeof({result}), LANES, out);",
    ]


def run_vector(items: Sequence[tuple[Case, Spelling]], inputs: Inputs, work: Path) -> Outcome:
    """Values of each case; the first ``LANES`` of the inputs are used."""
    work.mkdir(parents=True, exist_ok=True)
    lines = [
        '#include "acl/acl.h"',
        '#include "kernel_operator.h"',
        "#include <cstdio>",
        "#include <cstdint>",
    ]
    lines.append(f"constexpr uint32_t LANES = {LANES};")
    lines += [_kernel(n, case, spelling) for n, (case, spelling) in enumerate(items)]
    lines += [
        "static uint64_t host[LANES];",
        "int main(int, char** argv) {",
        '  FILE* in = fopen(argv[1], "rb");',
        '  FILE* out = fopen(argv[2], "wb");',
        "  aclInit(nullptr); aclrtSetDevice(0); aclrtStream stream; aclrtCreateStream(&stream);",
        "  void* result = nullptr; aclrtMalloc(&result, sizeof(host), ACL_MEM_MALLOC_HUGE_FIRST);",
    ]
    for kind, ctype in _TYPES.items():
        for k in range(3):
            name = f"device_{kind}_{k}"
            lines += [
                f"  void* {name} = nullptr; aclrtMalloc(&{name}, LANES * sizeof({ctype}), ACL_MEM_MALLOC_HUGE_FIRST);",
                f"  if (fread(host, sizeof({ctype}), LANES, in) != LANES) return 1;",
                f"  aclrtMemcpy({name}, LANES * sizeof({ctype}), host, LANES * sizeof({ctype}), ACL_MEMCPY_HOST_TO_DEVICE);",
            ]
    for n, (case, _) in enumerate(items):
        lines += _host(n, case)
    lines.append(
        "  fclose(out); aclrtDestroyStream(stream); aclrtResetDevice(0); aclFinalize(); return 0; }"
    )
    source, binary = work / "vector.cpp", work / "vector"
    source.write_text(rewrite_asc("\n".join(lines) + "\n", "vector.asc"), encoding="utf-8")
    build = subprocess.run(
        ["g++", *compile_flags(2201), "-O0", "-w", str(source), "-o", str(binary)],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert build.returncode == 0, build.stderr[:4000]
    data = b"".join(a[:LANES].tobytes() for kind in _TYPES for a in inputs[kind])
    (work / "inputs").write_bytes(data)
    done = subprocess.run([str(binary), "inputs", "outputs"], cwd=work, capture_output=True, text=True, timeout=120, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr[:3000]
    raw = (work / "outputs").read_bytes()
    values: dict[str, Array] = {}
    at = 0
    for case, spelling in items:
        dtype = np.dtype(DTYPES[case.signature.result])
        values[f"{case.name}/{spelling.form.value}"] = np.frombuffer(raw, dtype, LANES, at)
        at += dtype.itemsize * LANES
    assert at == len(raw)
    return Outcome(values, {})
