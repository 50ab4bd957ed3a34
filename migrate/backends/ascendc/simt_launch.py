"""Limits of a launch on Ascend 950, checked where the launch is made.

A block has at most 1024 threads in CUDA, and at most as many as ``__launch_bounds__`` says; CUDA
refuses more. Shared memory shares the unified buffer with the data cache: past 216 KB a block
would corrupt the cache without a word (vendor documentation, "unified buffer" of SIMT programs).
"""

from __future__ import annotations

from migrate.analysis.layout import type_bytes
from migrate.analysis.reach import reached_functions
from migrate.core.targets import Target, target_facts
from migrate.ir.kernel import Kernel, Module
from migrate.ir.simt import Declare
from migrate.ir.types import Array, Space
from migrate.ir.walk import walk_stmts

MAX_BLOCK = 1024
"""Threads of a block in CUDA."""
CHECK = "checkLaunch"
"""The helper that ends the program at a launch that cannot work."""
CHECK_TEXT = """// Ends the program at a launch that CUDA refuses, or that the chip has no room for.
inline void checkLaunch(
    const char* kernel, const dim3& block, uint64_t mostThreads, size_t bytes, size_t mostBytes)
{
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    if (threads == 0 || threads > mostThreads) {
        std::fprintf(
            stderr, "CM4011: %s is launched with blocks of %llu threads, of at most %llu\\n",
            kernel, (unsigned long long)threads, (unsigned long long)mostThreads);
        std::abort();
    }
    if (bytes > mostBytes) {
        std::fprintf(
            stderr, "CM4011: %s is launched with %zu bytes of shared memory, of at most %zu\\n",
            kernel, bytes, mostBytes);
        std::abort();
    }
}
"""


def launch_check(kernel: Kernel, module: Module, bound: int, proven: bool) -> str:
    """The statement of a launcher that checks its block and shared memory; empty without a need.

    ``bound`` are the threads that the emitted kernel is made for; ``proven`` says that every launch
    of the program has a block within it. Dynamic shared memory is asked for by the launch alone.
    """
    static, dynamic = _shared(kernel, module)
    if proven and not dynamic:
        return ""
    room = target_facts(Target.ASCEND_950).ub_bytes - static
    return f'{CHECK}("{kernel.name}", block, {bound}, dynUbBytes, {max(room, 0)});'


def _shared(kernel: Kernel, module: Module) -> tuple[int, bool]:
    """Bytes of the static shared memory that a kernel reaches, and whether it has dynamic one."""
    bodies = (kernel.body, *(f.body for f in reached_functions(kernel.body, module)))
    total, dynamic = 0, False
    for body in bodies:
        for s in walk_stmts(body):
            if not isinstance(s, Declare) or s.space is not Space.SHARED:
                continue
            if isinstance(s.type, Array) and s.type.length == 0:
                dynamic = True
            else:
                total += -(-(type_bytes(s.type, module) or 0) // 32) * 32
    return total, dynamic
