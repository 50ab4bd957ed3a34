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
from dataclasses import dataclass
from pathlib import Path

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
#: Names that take an argument list in front of a kernel's own name.
_ATTRIBUTES = frozenset(
    {"__launch_bounds__", "__mix__", "__attribute__", "__maxnreg__", "__inout_pipe__", "alignas"}
)
_DEFAULT_BOUND = "1024"


@dataclass(frozen=True, slots=True)
class KernelHead:
    """A ``__global__`` function: name, kind, thread bound, index of the ``{`` of its body."""

    name: str
    simd: bool
    bound: str
    body: int | None


def include_directory() -> Path:
    """The directory to pass with ``-I``, so that the vendor's include names are found."""
    return Path(__file__).parent / "include" / "ascendc_emu"


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
    if not simd_file:
        edits += _bound_edits(tokens, heads)
        edits += _ubuf_edits(source, tokens)
        edits += _math_edits(tokens)
    edits += _symbol_edits(source, tokens)
    # A file without kernels may belong to either chip, and only the 950 has the SIMT API.
    simd, simt = '#include "kernel_operator.h"\n', '#include "simt_api/asc_simt.h"\n'
    either = f"#if __NPU_ARCH__ == 2201\n{simd}#else\n{simt}#endif\n"
    prelude = simd if simd_file else simt if heads else either
    escaped = file_name.replace("\\", "\\\\").replace('"', '\\"')
    return f'{prelude}#line 1 "{escaped}"\n{apply_edits(source, edits)}'


def _text(source: str, tokens: tuple[Token, ...], begin: int, end: int) -> str:
    """Source text of the tokens [begin, end)."""
    return source[tokens[begin].start : tokens[end - 1].end] if begin < end else ""


def _kernel_heads(source: str, tokens: tuple[Token, ...]) -> tuple[KernelHead, ...]:
    heads: list[KernelHead] = []
    for start, token in enumerate(tokens):
        if token.text != "__global__":
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
                if name not in _ATTRIBUTES:
                    body = close + 1
                    is_body = body < len(tokens) and tokens[body].text == "{"
                    heads.append(KernelHead(name, simd, bound, body if is_body else None))
                    break
                if name == "__launch_bounds__":
                    bound = _text(source, tokens, i + 1, close)
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
        kernel = _text(source, tokens, first, i)
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


def _math_edits(tokens: tuple[Token, ...]) -> list[Edit]:
    """Brings the float-only functions that a device function calls into its scope.

    They hide those of the host's libm, so that a call with a double does not compile, as on the
    device. Names that the file declares itself are left alone.
    """
    edits: list[Edit] = []
    own = _declared_functions(tokens)
    known = _device_math_names()
    for body in _device_bodies(tokens):
        end = matching(tokens, body)
        if end is None:
            continue
        used = {
            tokens[i].text
            for i in range(body + 1, end)
            if tokens[i].text in known
            and tokens[i + 1].text == "("
            and tokens[i - 1].text not in ("::", ".", "->")
            and tokens[i].text not in own
        }
        if used:
            names = " ".join(f"using ::ascendc_emu::simt::dm::{name};" for name in sorted(used))
            edits.append(Edit(tokens[body].end, tokens[body].end, f" {names}"))
    return edits


def _device_math_names() -> frozenset[str]:
    """Names of the functions in the header of the SIMT mathematical functions."""
    text = (include_directory() / "simt" / "math.h").read_text(encoding="utf-8")
    macros = re.findall(r"^ASCENDC_EMU_(?:FN1|FN2|ABSENT)\((\w+)", text, re.MULTILINE)
    plain = re.findall(r"^inline [\w ]+?\b(\w+)\(", text, re.MULTILINE)
    return frozenset(macros) | frozenset(n for n in plain if not n.endswith("_double"))


def _device_bodies(tokens: tuple[Token, ...]) -> tuple[int, ...]:
    """Indices of the ``{`` of kernels and device functions."""
    bodies: list[int] = []
    for i, token in enumerate(tokens):
        if token.text not in ("__global__", "__aicore__", "__simt_callee__"):
            continue
        k = i + 1
        seen_parameters = False
        while k < len(tokens) and tokens[k].text not in ("{", ";", "=", "}"):
            if tokens[k].text == "(":
                close = matching(tokens, k)
                if close is None:
                    break
                seen_parameters = seen_parameters or tokens[k - 1].text not in _ATTRIBUTES
                k = close
            elif tokens[k].text == ":" and seen_parameters:
                break
            k += 1
        if k < len(tokens) and tokens[k].text == "{" and seen_parameters and k not in bodies:
            bodies.append(k)
    return tuple(bodies)


def _declared_functions(tokens: tuple[Token, ...]) -> frozenset[str]:
    """Names in front of a parameter list that is followed by a body."""
    names: set[str] = set()
    for i in range(1, len(tokens)):
        if tokens[i].text != "(" or tokens[i - 1].kind != "identifier":
            continue
        close = matching(tokens, i)
        if close is not None and close + 1 < len(tokens) and tokens[close + 1].text == "{":
            names.add(tokens[i - 1].text)
    return frozenset(names)


def _statement_start(tokens: tuple[Token, ...], index: int) -> bool:
    return index == 0 or tokens[index - 1].kind == "directive" or tokens[index - 1].text in "{};)"


def _ubuf_edits(source: str, tokens: tuple[Token, ...]) -> list[Edit]:
    """Arrays and scalars in UB become references into the UB of the block.

    Pointers to UB stay plain pointers.
    """
    edits: list[Edit] = []
    inside = _inside_functions(tokens)
    for i, token in enumerate(tokens):
        if token.text != "__ubuf__":
            continue
        start = i
        while start > 0 and tokens[start - 1].text in ("extern", "static", "volatile", "const"):
            start -= 1
        if not _statement_start(tokens, start):
            continue
        end = _declaration_end(tokens, i + 1)
        if end is None:
            continue
        dynamic = any(t.text == "extern" for t in tokens[start:i])
        place = "dynamic" if dynamic else "static"
        text = _ubuf_declaration(
            source, tokens, i + 1, end, place if inside[i] else f"global {place}"
        )
        if text is not None:
            edits.append(Edit(tokens[start].start, tokens[end].end, text))
    return edits


def _declaration_end(tokens: tuple[Token, ...], begin: int) -> int | None:
    """Index of the ``;`` that ends a declaration without function parameters, or None."""
    depth = 0
    for i in range(begin, len(tokens)):
        text = tokens[i].text
        if text in ("(", "[", "{"):
            if text == "(" and depth == 0 and tokens[i - 1].text not in _ATTRIBUTES:
                return None
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
        elif text == ";" and depth == 0:
            return i
    return None


def _ubuf_declaration(
    source: str, tokens: tuple[Token, ...], begin: int, end: int, place: str
) -> str | None:
    """The C++ for the declarators in tokens [begin, end), or None if it declares a pointer.

    ``place`` is "static" or "dynamic" inside a function, with "global " in front outside of one.
    """
    while tokens[begin].text in _ATTRIBUTES:
        close = matching(tokens, begin + 1)
        if close is None:
            return None
        begin = close + 1
    angle = 0
    name = begin
    for name in range(begin, end):
        text = tokens[name].text
        angle += (text == "<") - (text == ">")
        if text in ("*", "&") and angle == 0:
            return None
        following = tokens[name + 1].text
        if angle == 0 and tokens[name].kind == "identifier" and following in ("[", ",", ";"):
            break
        if following == "=":
            raise ValueError(f"line {tokens[name].line}: a __ubuf__ variable has an initializer")
    element = _text(source, tokens, begin, name)
    if not element:
        return None
    parts: list[str] = []
    for first, last in split_arguments(tokens, name, end):
        declared = tokens[first].text
        extents = _text(source, tokens, first + 1, last)
        inner = extents[extents.find("]") + 1 :]
        pointer = f"{element} (*{declared}){inner}" if inner else f"{element}* {declared}"
        reference = f"{element} (&{declared}){extents}" if extents else f"{element} &{declared}"
        match place:
            case "dynamic":
                value = f"{pointer} = ::ascendc_emu::simt::ubuf_dynamic<{element}{inner}>();"
            case "global dynamic":
                call = f"::ascendc_emu::simt::worker_dynamic<{element}{inner}>()"
                value = f"static thread_local {pointer} = {call};"
            case "global static":
                value = f"static thread_local {element} {declared}{extents};"
            case _:
                call = f"::ascendc_emu::simt::ubuf_static<{element}{extents}>([] {{}})"
                value = f"{reference} = {call};"
        parts.append(value)
    return " ".join(parts)


def _inside_functions(tokens: tuple[Token, ...]) -> tuple[bool, ...]:
    """For every token whether it stands in braces other than those of namespaces."""
    inside: list[bool] = []
    depth = 0
    scopes: list[bool] = []
    for i, token in enumerate(tokens):
        if token.text == "{":
            names_scope = _opens_namespace(tokens, i)
            scopes.append(names_scope)
            depth += not names_scope
        elif token.text == "}" and scopes:
            depth -= not scopes.pop()
        inside.append(depth > 0)
    return tuple(inside)


def _symbol_edits(source: str, tokens: tuple[Token, ...]) -> list[Edit]:
    """Device variables (``__gm__ T v`` outside functions) are made known with their size."""
    edits: list[Edit] = []
    inside = _inside_functions(tokens)
    for i, token in enumerate(tokens):
        if token.text != "__gm__" or inside[i]:
            continue
        start = i
        while start > 0 and tokens[start - 1].text in ("static", "const", "volatile", "constexpr"):
            start -= 1
        end = _declaration_end(tokens, i + 1) if _statement_start(tokens, start) else None
        if end is None:
            continue
        stop = next((k for k in range(i + 1, end) if tokens[k].text in ("[", "=", "{")), end)
        if tokens[stop - 1].kind == "identifier" and stop - 1 > i + 1:
            name = tokens[stop - 1].text
            at = tokens[end].end
            call = f"emu_symbol_{name}(&{name}, sizeof({name}))"
            edits.append(Edit(at, at, f" static const ::ascendc_emu::RegisterSymbol {call};"))
    return edits


def _opens_namespace(tokens: tuple[Token, ...], brace: int) -> bool:
    """True if the ``{`` belongs to a namespace or a linkage specification."""
    i = brace - 1
    if i >= 1 and tokens[i].kind == "string" and tokens[i - 1].text == "extern":
        return True
    while i >= 0 and (tokens[i].kind == "identifier" or tokens[i].text == "::"):
        if tokens[i].text == "namespace":
            return True
        i -= 1
    return False


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
