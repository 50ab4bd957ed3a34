"""A small fixed report with one kernel in each state, for the tests of every format."""

from __future__ import annotations

from migrate.report.model import (
    BufferRow,
    DiagnosticRow,
    KernelRow,
    LaunchRow,
    LinePair,
    ProgramRow,
    Report,
    totals_of,
)

SAXPY = """\
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a * x[i] + y[i];  // fused by neither side
  }
}"""

SAXPY_TILELANG = '''\
@T.prim_func
def saxpy(n: T.int32, a: T.float32, x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
    """y = a * x + y"""
    with T.Kernel(T.ceildiv(n, 256), threads=256) as block:
        for t in T.Parallel(256):
            i = block * 256 + t
            if i < n:
                y[i] = a * x[i] + y[i]  # fused by neither side'''

BLOCK_SUM = """\
__global__ void block_sum(const float* x, float* out) {
  __shared__ float part[256];
  part[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}"""


def buffer(name: str, wrong: int = 0, ulp: int = 0, written: bool = True) -> BufferRow:
    """1000 floats: equal bit for bit, within tolerance (``ulp``) or ``wrong``."""
    exact = wrong == 0 and ulp == 0
    return BufferRow(
        name=name,
        elements="f32",
        size=4000,
        written=written,
        equal=wrong == 0,
        bit_equal=exact,
        wrong=wrong,
        max_abs=0.0 if exact else 0.5 if wrong else 1.2e-7,
        max_rel=0.0 if exact else float("inf") if wrong else 2.4e-7,
        max_ulp=ulp,
        ulp_histogram=() if exact else (900 - wrong, 80, 20, 0, 0, 0, 0, wrong),
        cosine=1.0 if exact else 0.999999999 if not wrong else 0.25,
        first=((996, "1.5", "0"), (1000, "nan", "-inf"))[: 2 if wrong else 0],
    )


def launch(seq: int, *buffers: BufferRow, problem: str = "", source: str = "captured") -> LaunchRow:
    """A launch of 4 blocks of 256 threads."""
    equal = not problem and all(b.equal for b in buffers)
    return LaunchRow(seq, source, (4, 1, 1), (256, 1, 1), equal, problem, buffers)


BARRIER = DiagnosticRow(
    code="CM3001",
    title="kernel synchronises the threads of a block",
    severity="error",
    outcome="kernel not emitted",
    cause="__syncthreads() at line 14",
    file="sum.cu",
    line=14,
    column=3,
    label="barrier",
    suggestion="split the kernel at the barrier",
    trust="review",
)
DIFFERS = DiagnosticRow(
    code="CM5006",
    title="numbers differ from the original",
    severity="error",
    outcome="migrated, weaker guarantee",
    cause="out: 7 of 1000 elements, first at byte 996",
    file="axpy.cu",
    line=30,
    column=1,
)
NARROWED = DiagnosticRow(
    code="CM4001",
    title="target has no double precision in device code",
    severity="warning",
    outcome="migrated, weaker guarantee",
    cause="--double fp32 was given",
    file="axpy.cu",
    line=12,
    column=18,
    rule="intrinsic.exp",
)


def kernel(
    symbol: str,
    verdict: str,
    launches: tuple[LaunchRow, ...] = (),
    diagnostics: tuple[DiagnosticRow, ...] = (),
    *,
    original: str = SAXPY,
    generated: str = SAXPY_TILELANG,
    file: str = "axpy.cu",
    line: int = 10,
    confidence: float = 0.85,
) -> KernelRow:
    """A kernel row; a refused one has no generated text."""
    refused = verdict == "refused"
    return KernelRow(
        symbol=symbol,
        name=symbol.partition("<")[0],
        template_args=(("T", "float"),) if "<" in symbol else (),
        file=file,
        line=line,
        rung="refused" if refused else "tile",
        verdict=verdict,
        confidence=0.0 if verdict in ("refused", "different") else confidence,
        confidence_parts=(f"verdict {verdict}",) if refused else ("rung tile: -0.05",),
        original=original,
        generated="" if refused else generated,
        generated_file="" if refused else file.replace(".cu", ".py"),
        generated_line=0 if refused else 21,
        line_pairs=() if refused else (LinePair(6, 2), LinePair(7, 3), LinePair(8, 4)),
        total_launches=0 if refused else 3,
        compared=len(launches),
        launches=launches,
        diagnostics=diagnostics,
    )


def program(name: str, *kernels: KernelRow, runs: tuple[str, str, str]) -> ProgramRow:
    """A program of one file; ``runs`` are original, migrated, and with kernels skipped."""
    return ProgramRow(
        name=name,
        files=(f"{name}.cu",),
        kernels=kernels,
        original_run=runs[0],
        migrated_run=runs[1],
        control_run=runs[2],
        detail="max error 1e-7\nPASS" if runs[1] == "pass" else "",
        diagnostics=(),
        host_calls=(("cudaMalloc", "call", 2), ("cudaMemcpy", "call", 3)),
    )


def report_of(*programs: ProgramRow, command: str = "cudamigrate convert src -o out") -> Report:
    """A report over ``programs`` with its totals."""
    return Report(
        tool_version="0.1.0",
        date="2026-01-31 12:00:00 UTC",
        target="tilelang",
        target_title="TileLang",
        programs=programs,
        totals=totals_of(tuple(k.verdict for p in programs for k in p.kernels)),
        diagnostics=(),
        toolchain=(("g++", "12.2.0"), ("tilelang", "0.1.15")),
        seconds=12.5,
        command=command,
    )


def sample_report() -> Report:
    """Two programs: kernels equal, equal within tolerance, compiled, different, and refused."""
    axpy = program(
        "axpy",
        kernel("saxpy", "equal", (launch(0, buffer("x", written=False), buffer("y")),)),
        kernel(
            "scale<float>",
            "equal-captured",
            (launch(1, buffer("y", ulp=2)), launch(4, buffer("y", ulp=1))),
            (NARROWED,),
            line=20,
        ),
        kernel("unused", "compiled", line=25),
        kernel(
            "wrong",
            "different",
            (launch(2, buffer("out", wrong=7, ulp=9000)),),
            (DIFFERS,),
            line=30,
        ),
        runs=("pass", "pass", "fail"),
    )
    total = program(
        "sum",
        kernel("block_sum", "refused", (), (BARRIER,), original=BLOCK_SUM, file="sum.cu", line=11),
        runs=("pass", "not-run", "not-run"),
    )
    return report_of(axpy, total)
