"""Rewriting inside device code of ``.asc`` files: variables in UB, device variables, math names."""

from __future__ import annotations

import re
from pathlib import Path

from migrate.emulation.cpp_lexer import Edit, Token, matching, split_arguments

#: Names that take an argument list in front of a kernel's own name.
ATTRIBUTES = frozenset(
    {"__launch_bounds__", "__mix__", "__attribute__", "__maxnreg__", "__inout_pipe__", "alignas"}
)


def include_directory() -> Path:
    """The directory to pass with ``-I``, so that the vendor's include names are found."""
    return Path(__file__).parent / "include" / "ascendc_emu"


def token_text(source: str, tokens: tuple[Token, ...], begin: int, end: int) -> str:
    """Source text of the tokens [begin, end)."""
    return source[tokens[begin].start : tokens[end - 1].end] if begin < end else ""


#: Qualifiers of functions that run as threads: of SIMT kernels, and of those that a core starts.
SIMT_FUNCTIONS = frozenset({"__global__", "__aicore__", "__simt_callee__"})
VECTOR_FUNCTIONS = frozenset({"__simt_vf__", "__simt_callee__"})


def math_edits(
    tokens: tuple[Token, ...], qualifiers: frozenset[str] = SIMT_FUNCTIONS
) -> list[Edit]:
    """Brings the float-only functions that a device function calls into its scope.

    They hide those of the host's libm, so that a call with a double does not compile, as on the
    device. Names that the file declares itself are left alone. The type double does not exist
    there either.
    """
    edits: list[Edit] = []
    own = _declared_functions(tokens)
    known = _device_math_names()
    for body in device_bodies(tokens, qualifiers):
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
        edits += [
            Edit(t.start, t.end, "::ascendc_emu::simt::dtype_unsupported_double")
            for t in tokens[body:end]
            if t.text == "double"
        ]
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


def device_bodies(tokens: tuple[Token, ...], qualifiers: frozenset[str]) -> tuple[int, ...]:
    """Indices of the ``{`` of the functions that have one of the qualifiers."""
    bodies: list[int] = []
    for i, token in enumerate(tokens):
        if token.text not in qualifiers:
            continue
        k = i + 1
        seen_parameters = False
        while k < len(tokens) and tokens[k].text not in ("{", ";", "=", "}"):
            if tokens[k].text == "(":
                close = matching(tokens, k)
                if close is None:
                    break
                seen_parameters = seen_parameters or tokens[k - 1].text not in ATTRIBUTES
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


def ubuf_edits(source: str, tokens: tuple[Token, ...], owner: str = "simt") -> list[Edit]:
    """Arrays and scalars in UB become references into the UB of the block.

    Pointers to UB stay plain pointers. ``owner`` is ``hybrid`` for the UB of the core that runs a
    vector kernel.
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
            source, tokens, i + 1, end, place if inside[i] else f"global {place}", owner
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
            if text == "(" and depth == 0 and tokens[i - 1].text not in ATTRIBUTES:
                return None
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
        elif text == ";" and depth == 0:
            return i
    return None


def _ubuf_declaration(
    source: str, tokens: tuple[Token, ...], begin: int, end: int, place: str, owner: str
) -> str | None:
    """The C++ for the declarators in tokens [begin, end), or None if it declares a pointer.

    ``place`` is "static" or "dynamic" inside a function, with "global " in front outside of one.
    """
    while tokens[begin].text in ATTRIBUTES:
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
    element = token_text(source, tokens, begin, name)
    if not element:
        return None
    parts: list[str] = []
    for first, last in split_arguments(tokens, name, end):
        declared = tokens[first].text
        extents = token_text(source, tokens, first + 1, last)
        inner = extents[extents.find("]") + 1 :]
        pointer = f"{element} (*{declared}){inner}" if inner else f"{element}* {declared}"
        reference = f"{element} (&{declared}){extents}" if extents else f"{element} &{declared}"
        match place:
            case "dynamic":
                value = f"{pointer} = ::ascendc_emu::{owner}::ubuf_dynamic<{element}{inner}>();"
            case "global dynamic":
                call = f"::ascendc_emu::simt::worker_dynamic<{element}{inner}>()"
                value = f"static thread_local {pointer} = {call};"
            case "global static":
                value = f"static thread_local {element} {declared}{extents};"
            case _:
                call = f"::ascendc_emu::{owner}::ubuf_static<{element}{extents}>([] {{}})"
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


def symbol_edits(source: str, tokens: tuple[Token, ...]) -> list[Edit]:
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
