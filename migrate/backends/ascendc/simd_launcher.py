"""The body of a 910B launch function: how many threads along x, and the call of the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from migrate.analysis.doubles import holds_double
from migrate.backends.ascendc.kernel_text import LAUNCH_NAMES
from migrate.backends.ascendc.names import free_name
from migrate.backends.ascendc.simd_dialect import SimdDialect
from migrate.backends.ascendc.simt import SimtContext
from migrate.core.targets import Target, target_facts
from migrate.ir.expr import Builtin, IndexVar
from migrate.ir.tile import LaneAxis, TileKernel
from migrate.ir.types import Pointer, Struct, Type


def launcher_text(
    k: TileKernel,
    name: str,
    sizes: Sequence[IndexVar],
    dialect: SimdDialect,
    context: SimtContext,
) -> str:
    """One statement a line; ``sizes`` are the launch sizes that the kernel takes, in order."""
    taken = {p.name for p in k.params} | set(LAUNCH_NAMES)
    threads = free_name("threads", taken)
    lines = []
    value = "block.x"
    if k.axis is LaneAxis.GRID:
        lines.append(f"const uint64_t {threads} = (uint64_t)grid.x * block.x;")
        lines.append(f"if ({threads} > 0x7fffffff) {{")
        lines.append(f'    fprintf(stderr, "{name}: more than 2147483647 threads along x\\n");')
        lines.append("    abort();")
        lines.append("}")
        value = threads
    cores = "1" if k.single_core else str(target_facts(Target.ASCEND_910B).cores)
    args = [argument(p.name, p.type, dialect, context) for p in k.params]
    args.append(value)
    args += [f"{'grid' if v.builtin is Builtin.GRID_DIM else 'block'}.{v.axis}" for v in sizes]
    lines.append(f"{name}<<<{cores}, nullptr, stream>>>({', '.join(args)});")
    return "\n".join(lines)


def argument(name: str, type_: Type, dialect: SimdDialect, context: SimtContext) -> str:
    """An argument; pointers and mirrored structs are cast to what the kernel takes."""
    if isinstance(type_, Pointer):
        text = dialect.pointer(replace(type_, restrict=False)).replace("__gm__ ", "")
        return f"({text}){name}"
    mirrored = isinstance(type_, Struct) and type_.name in context.structs
    if mirrored or (context.soft_double and holds_double(type_)):
        return f"*(const {dialect.type(type_)}*)&{name}"
    return name
