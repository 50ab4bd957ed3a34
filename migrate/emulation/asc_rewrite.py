"""Rewriting of Ascend C single-source files (``.asc``) for g++ and clang++.

What the vendor's compiler understands and a plain one does not: launches
``k<<<n, ub, stream>>>(args)``, arrays in UB (``__ubuf__ T a[N]``, ``extern __ubuf__ T a[]``) of
SIMT kernels, thread bounds, ``__gm__`` variables, and device functions without double. Line
numbers stay as they are, so that reports of the emulator name lines of the original file.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from migrate.emulation.asc_device_code import (
    ATTRIBUTES,
    SIMT_FUNCTIONS,
    VECTOR_FUNCTIONS,
    device_bodies,
    include_directory,
    math_edits,
    symbol_edits,
    token_text,
    ubuf_edits,
)
from migrate.emulation.asc_polling import polling_edits
from migrate.emulation.cpp_lexer import (
    Edit,
    Token,
    apply_edits,
    matching,
    matching_angle_backward,
    split_arguments,
    tokenize,
)

#: Qualifiers that mark a kernel of the SIMD API.
_SIMD_QUALIFIERS = frozenset({"__aicore__", "__vector__", "__cube__", "__mix__"})
_DEFAULT_BOUND = "1024"
_VECTOR_ENTRIES = frozenset({"__simt_vf__", "__simd_vf__"})
_HYBRID_HEADER = re.compile(r"[<\"](?:simt_api|c_api)/")


@dataclass(frozen=True, slots=True)
class KernelHead:
    """A ``__global__`` function: name, kind, thread bound, index of the ``{`` of its body."""

    name: str
    simd: bool
    bound: str
    body: int | None


def compile_flags(arch: int) -> tuple[str, ...]:
    """Compiler flags for a rewritten file; ``arch`` is 2201 (910B) or 3510 (950)."""
    return (
        "-std=c++17",
        "-O1",
        "-g1",
        "-pthread",
        "-ffp-contract=off",
        "-Wno-unknown-pragmas",
        "-Wno-attributes",
        f"-D__NPU_ARCH__={arch}",
        f"-I{include_directory()}",
    )


def rewrite_asc(source: str, file_name: str) -> str:
    """Turn the text of an ``.asc`` file into C++17; ``file_name`` is what reports call it.

    Raises ValueError, with the line, for a launch or a UB declaration that cannot be read.
    """
    tokens = tokenize(source)
    heads = _kernel_heads(source, tokens)
    simd_file = any(h.simd for h in heads) or any(
        t.kind == "directive" and "kernel_operator" in t.text for t in tokens
    )
    simt_names = frozenset(h.name for h in heads if not h.simd)
    edits: list[Edit] = []
    edits += _launch_edits(source, tokens, simt_names, simd_file)
    hybrid = simd_file and _is_hybrid(tokens)
    if not simd_file:
        edits += _bound_edits(tokens, heads)
        edits += ubuf_edits(source, tokens)
        edits += math_edits(tokens)
        bodies = device_bodies(tokens, SIMT_FUNCTIONS)
        edits += polling_edits(tokens, bodies, "::ascendc_emu::simt::poll_in_block()")
    elif hybrid:
        edits += _hybrid_edits(source, tokens)
    edits += symbol_edits(source, tokens)
    # A file without kernels may belong to either chip, and only the 950 has the SIMT API.
    simd, simt = '#include "kernel_operator.h"\n', '#include "simt_api/asc_simt.h"\n'
    either = f"#if __NPU_ARCH__ == 2201\n{simd}#else\n{simt}#endif\n"
    prelude = simd if simd_file else simt if heads else either
    prelude += '#include "hybrid/vf_call.h"\n' if hybrid else ""
    escaped = file_name.replace("\\", "\\\\").replace('"', '\\"')
    return f'{prelude}#line 1 "{escaped}"\n{apply_edits(source, edits)}'


def _is_hybrid(tokens: tuple[Token, ...]) -> bool:
    """Whether vector kernels start functions of threads, or use the C API."""
    return any(
        t.text in _VECTOR_ENTRIES or (t.kind == "directive" and _HYBRID_HEADER.search(t.text))
        for t in tokens
    )


def _hybrid_edits(source: str, tokens: tuple[Token, ...]) -> list[Edit]:
    """Edits in functions that a vector kernel starts, and in the kernel itself."""
    entries = (replace(h, simd=False) for h in _kernel_heads(source, tokens, "__simt_vf__"))
    edits = _bound_edits(tokens, tuple(entries))
    edits += ubuf_edits(source, tokens, "hybrid")
    edits += math_edits(tokens, VECTOR_FUNCTIONS)
    bodies = device_bodies(tokens, SIMT_FUNCTIONS | VECTOR_FUNCTIONS)
    return edits + polling_edits(tokens, bodies, "::ascendc_emu::hybrid::poll()")


def _kernel_heads(
    source: str, tokens: tuple[Token, ...], qualifier: str = "__global__"
) -> tuple[KernelHead, ...]:
    heads: list[KernelHead] = []
    for start, token in enumerate(tokens):
        if token.text != qualifier:
            continue
        simd = any(t.text in _SIMD_QUALIFIERS for t in tokens[max(0, start - 3) : start])
        bound = _DEFAULT_BOUND
        i = start + 1
        while i < len(tokens):
            text = tokens[i].text
            if text in ("{", ";", "}", "="):
                break
            simd = simd or text in _SIMD_QUALIFIERS
            if text == "(":
                close = matching(tokens, i)
                if close is None:
                    break
                name = tokens[i - 1].text
                if name not in ATTRIBUTES:
                    body = close + 1
                    is_body = body < len(tokens) and tokens[body].text == "{"
                    heads.append(KernelHead(name, simd, bound, body if is_body else None))
                    break
                if name == "__launch_bounds__":
                    bound = token_text(source, tokens, i + 1, close)
                i = close
            i += 1
    return tuple(heads)


def _is_run(tokens: tuple[Token, ...], index: int, char: str) -> bool:
    """True if three ``char`` tokens stand at ``index`` without space between them."""
    if index + 3 > len(tokens):
        return False
    run = tokens[index : index + 3]
    return all(t.text == char for t in run) and run[2].end - run[0].start == 3


def _kernel_expression(tokens: tuple[Token, ...], before: int) -> int | None:
    """Index of the first token of the kernel named in front of ``<<<`` at ``before``."""
    i = before - 1
    if i >= 0 and tokens[i].text == ">":
        opening = matching_angle_backward(tokens, i)
        if opening is None:
            return None
        i = opening - 1
    if i < 0 or tokens[i].kind != "identifier":
        return None
    while i >= 1 and tokens[i - 1].text == "::":
        i -= 1
        if i >= 1 and tokens[i - 1].kind == "identifier":
            i -= 1
    return i


def _launch_edits(
    source: str, tokens: tuple[Token, ...], simt_names: frozenset[str], simd_file: bool
) -> list[Edit]:
    edits: list[Edit] = []
    for i in range(len(tokens)):
        if not _is_run(tokens, i, "<") or (i > 0 and tokens[i - 1].text == "operator"):
            continue
        line = tokens[i].line
        first = _kernel_expression(tokens, i)
        if first is None:
            continue
        end = _launch_end(tokens, i + 3)
        if end is None or end + 3 >= len(tokens) or tokens[end + 3].text != "(":
            raise ValueError(f"line {line}: a launch without >>>( is not understood")
        close = matching(tokens, end + 3)
        if close is None:
            raise ValueError(f"line {line}: the argument list of a launch does not end")
        config = split_arguments(tokens, i + 3, end)
        kernel = token_text(source, tokens, first, i)
        base = kernel.split("<")[0].split("::")[-1].strip()
        simt = base in simt_names or (not simd_file and len(config) != 3)
        kind = "simt" if simt else "simd"
        shown = base.replace('"', "")
        edits.append(
            Edit(
                tokens[first].start,
                tokens[first].start,
                f'::ascendc_emu::{kind}_launch("{shown}", [&](auto... emu_a) {{ ',
            )
        )
        edits.append(
            Edit(
                tokens[i].start,
                tokens[i + 2].end,
                f"(emu_a...); }}, ::ascendc_emu::Loc::here(), ::ascendc_emu::{kind}_config(",
            )
        )
        separator = ")" if close == end + 4 else "), "
        edits.append(Edit(tokens[end].start, tokens[end + 3].end, separator))
        for begin, stop in split_arguments(tokens, end + 4, close):
            if stop - begin == 1 and tokens[begin].text == "NULL":
                edits.append(Edit(tokens[begin].start, tokens[begin].end, "nullptr"))
    return edits


def _launch_end(tokens: tuple[Token, ...], begin: int) -> int | None:
    """Index of the ``>>>`` that ends a launch configuration."""
    depth = 0
    for i in range(begin, len(tokens)):
        text = tokens[i].text
        if text in ("(", "[", "{"):
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
        elif text == ";":
            return None
        elif depth == 0 and _is_run(tokens, i, ">"):
            return i
    return None


def _bound_edits(tokens: tuple[Token, ...], heads: tuple[KernelHead, ...]) -> list[Edit]:
    """Check of the number of threads at the start of each SIMT kernel (its bound is in scope)."""
    edits: list[Edit] = []
    for head in heads:
        if head.body is not None and not head.simd:
            at = tokens[head.body].end
            edits.append(Edit(at, at, f" ::ascendc_emu::simt::check_bound({head.bound});"))
    return edits


def main(arguments: list[str] | None = None) -> int:
    """Command line: ``asc_rewrite INPUT.asc OUTPUT.cpp``."""
    parser = argparse.ArgumentParser(description="Rewrite an .asc file for g++ with ascendc_emu.")
    parser.add_argument("input", type=Path)
    parser.add_argument("output", type=Path)
    options = parser.parse_args(arguments)
    source = Path(options.input).read_text(encoding="utf-8")
    Path(options.output).write_text(rewrite_asc(source, str(options.input)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
