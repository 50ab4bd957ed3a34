"""Assertions and fences as C functions that the generated module brings along.

TileLang has neither on all of its targets. The functions are imported by the kernel, as those of
:mod:`migrate.backends.tilelang.atomics` are::

    CHECK_ASSERTION = '''...'''             T.import_source(CHECK_ASSERTION)
    T.call_extern("int32", "check_assertion", T.cast(x[i] >= 0, "int32"))

For CUDA a failed assertion is ``__trap()``, which ends the launch with an error as ``assert`` does;
on the CPU it ends the program. TileLang's C target runs blocks and threads one after the other, so
that a fence has nothing to order there.
"""

from __future__ import annotations

from migrate.ir.simt import Effect, Fence, Stmt
from migrate.ir.walk import walk_stmts
from migrate.rules.model import Prelude

_FENCES = {
    "block": "__threadfence_block()",
    "device": "__threadfence()",
    "system": "__threadfence_system()",
}


def foreign_function(s: Stmt) -> str | None:
    """The name of the C function that a statement becomes a call of."""
    match s:
        case Fence(scope):
            return f"thread_fence_{scope}"
        case Effect("assert"):
            return "check_assertion"
        case _:
            return None


def effect_prelude(s: Fence | Effect) -> Prelude:
    """The constant of the generated module that holds the function's text."""
    match s:
        case Fence(scope):
            name, params, cuda, plain = f"thread_fence_{scope}", "void", f"{_FENCES[scope]};", ""
        case Effect():
            name, params, cuda = "check_assertion", "int32_t holds", "if (!holds) __trap();"
            plain = "  if (!holds) __builtin_abort();\n"
    head = f"int32_t {name}({params})"
    text = (
        "#ifdef __CUDACC__\n"
        f"static __device__ {head} {{\n  {cuda}\n  return 0;\n}}\n"
        "#else  // blocks and threads run one after the other\n"
        f'extern "C" {{\nstatic inline {head} {{\n{plain}  return 0;\n}}\n}}\n'
        "#endif\n"
    )
    return Prelude(name.upper(), f'{name.upper()} = """\n{text}"""')


def effect_sources(body: tuple[Stmt, ...]) -> tuple[str, ...]:
    """The names of the constants whose text a kernel imports."""
    names = (foreign_function(s) for s in walk_stmts(body))
    return tuple(dict.fromkeys(name.upper() for name in names if name is not None))
