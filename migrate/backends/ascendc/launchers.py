"""Launch functions: ``launch_k(grid, block, dynUbBytes, stream, ...)`` for a CUDA kernel ``k``.

The parameters after the first four are those of the CUDA kernel in the source's own words, so a
call converts its arguments as the CUDA launch did. A kernel template has a deleted primary
launcher and one specialisation for each instantiation that the program launches.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from migrate.backends.clike import signature
from migrate.core.cpp_text import closing, split_commas, tokens
from migrate.core.targets import Target
from migrate.ir.kernel import Kernel, TemplateArg
from migrate.ir.program import Definition
from migrate.rules.catalogue import Catalogue
from migrate.rules.model import Form

_DIM = {Target.ASCEND_950: "dim3", Target.ASCEND_910B: "Dim3"}
_DROPPED = frozenset({"__grid_constant__", "__restrict__", "__restrict", "restrict", "volatile"})
"""Qualifiers that mean nothing in a host function; emitted kernels take no volatile pointers."""
_INTEGER_WORDS = frozenset({
    "typename", "class", "bool", "char", "short", "int", "long", "signed", "unsigned", "const",
    "auto", "size_t", "std", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t",
    "uint32_t", "uint64_t", "uint", "ptrdiff_t", "...",
})  # fmt: skip
"""Words of template parameters that take a number as it is, or a type."""

_CLOSURE = re.compile(r"\(lambda at [^()]*?:(\d+):\d+\)")
"""How the front end shows the type of a lambda: file, line and column."""


@dataclass(frozen=True, slots=True)
class SourceParam:
    """A parameter as the source writes it; ``name`` is empty for an unnamed one."""

    text: str
    name: str


def source_params(text: bytes, definition: Definition) -> tuple[SourceParam, ...] | None:
    """The parameters of a kernel definition; nothing when its head cannot be read."""
    found = tokens(text, definition.span.start, definition.span.end)
    for i in range(len(found) - 1):
        if found[i].text != definition.name or found[i + 1].text != "(":
            if not (found[i].text == definition.name and found[i + 1].text == "<"):
                continue
            # An explicit specialisation: k<float>(...)
            after = next((k for k in range(i + 2, len(found)) if found[k].text == "("), None)
            if after is None:
                continue
            i = after - 1  # noqa: PLW2901  (the name ends before its argument list)
        close = closing(found, i + 1)
        if close is None:
            return None
        params: list[SourceParam] = []
        for first, last in split_commas(found, i + 2, close):
            part = found[first:last]
            stop = next((k for k, t in enumerate(part) if t.text == "="), len(part))
            part = part[:stop]
            if not part or [t.text for t in part] == ["void"]:
                continue
            stop = next((k for k, t in enumerate(part) if t.text == "["), len(part))
            named = len(part) > 1 and part[stop - 1].kind == "word"
            shown = _join([t.text for t in part])
            params.append(SourceParam(shown, part[stop - 1].text if named else ""))
        return tuple(params)
    return None


def _join(words: list[str]) -> str:
    """Tokens as a person spaces a declaration: ``const T* in``."""
    out = ""
    for word in words:
        if word in _DROPPED:
            continue
        tight = word in ("*", "&", ",", "::", "<", ">", "[", "]", ")", "(", ".") or out.endswith(
            ("::", "<", "(", "[")
        )
        out += word if tight or not out else f" {word}"
    return re.sub(r",\s*", ", ", out)


def renamed(text: str, catalogue: Catalogue, target: Target) -> str:
    """Words of a type or template argument in the target's names (``__half`` is ``half``)."""
    source = text.encode("latin-1", "replace")
    out, at = "", 0
    for t in tokens(source):
        rule = catalogue.host(t.text) if t.kind == "word" else None
        spelling = None if rule is None else rule.spelling(target.value, Form.NAME)
        if spelling is not None:
            out += text[at : t.start] + spelling.template
            at = t.end
    return out + text[at:]


def substituted(text: str, args: tuple[TemplateArg, ...]) -> str:
    """A parameter with template parameters replaced by their arguments."""
    values = {a.name: a.value for a in args}
    out, at = "", 0
    for t in tokens(text.encode("latin-1", "replace")):
        if t.kind == "word" and t.text in values:
            out += text[at : t.start] + values[t.text]
            at = t.end
    return out + text[at:]


@dataclass(frozen=True, slots=True)
class LauncherStyle:
    """What all launchers of a file share."""

    catalogue: Catalogue
    target: Target
    newline: str = "\n"

    def head(self, name: str, params: tuple[str, ...], prefix: str = "") -> str:
        """``void launch_k(dim3 grid, ...)`` without an end."""
        dim = _DIM[self.target]
        own = (f"{dim} grid", f"{dim} block", "size_t dynUbBytes", "aclrtStream stream")
        return signature(f"{prefix}void {name}", (*own, *params))


def template_values(kernel: Kernel, definition: Definition) -> tuple[str, ...]:
    """The template arguments of an instantiation as they stand in its template-id.

    The number of an enumerator is cast to its enumeration, which no number converts to.
    """
    head = split_template_head(definition.template_head)
    out: list[str] = []
    for i, a in enumerate(kernel.template_args):
        kind = head[i] if i < len(head) else ""
        number = re.fullmatch(r"-?\d+", a.value) is not None
        plain = not kind or all(w in _INTEGER_WORDS for w in re.findall(r"\w+|\.\.\.", kind))
        out.append(a.value if plain or not number else f"({kind}){a.value}")
    return tuple(out)


def closures(kernel: Kernel) -> tuple[str, ...]:
    """The template arguments that are types of lambdas, which no code can name."""
    return tuple(a.value for a in kernel.template_args if _CLOSURE.search(a.value))


def named_closures(values: tuple[str, ...], structs: Mapping[str, str]) -> tuple[str, ...]:
    """Template arguments with a closure's type by the mirror of its data (``lambda_12``)."""

    def name(hit: re.Match[str]) -> str:
        own = f"lambda_{hit.group(1)}"
        return structs.get(own, own)

    return tuple(_CLOSURE.sub(name, v) for v in values)


def split_template_head(head: str) -> tuple[str, ...]:
    """The kind of each parameter of ``template <typename T, Mode M = Mode::kFast>``."""
    found = tokens(head.encode("latin-1", "replace"))
    opening = next((i for i, t in enumerate(found) if t.text == "<"), None)
    if opening is None or found[-1].text != ">":
        return ()
    kinds: list[str] = []
    for first, last in split_commas(found, opening + 1, len(found) - 1):
        words = [t.text for t in found[first:last]]
        words = words[: words.index("=")] if "=" in words else words
        kinds.append(_join(words[:-1]) if len(words) > 1 else _join(words))
    return tuple(kinds)


def entry_name(kernel: Kernel, values: tuple[str, ...]) -> str:
    """What a caller names: ``launch_k`` or ``launch_k<float, 4>``, with namespaces."""
    space, _, _ = (kernel.qualified or kernel.name).rpartition("::")
    kept = [p for p in space.split("::") if p and "anonymous" not in p]
    name = "::".join([*kept, f"launch_{kernel.name}"])
    args = ", ".join(values)
    return f"{name}<{args}>" if args else name


def launcher_definition(head: str, lines: tuple[str, ...], guard: bool = True) -> str:
    """A launch function with its body; an empty grid launches nothing."""
    body = [f"    {x}" for x in lines]
    empty = (
        "    if (grid.x == 0 || grid.y == 0 || grid.z == 0) {",
        "        return;",
        "    }",
    )
    return "\n".join((head, "{", *(empty if guard else ()), *body, "}")) + "\n"
