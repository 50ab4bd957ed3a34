"""Puts the tap (``include/cuda_tap``) into a CUDA source, which stays CUDA.

==========================================  ==================================================
``k<<<g, b>>>(x)``                          a launcher gets ``k``'s describer and the launch
``__global__ void k(int n)``                ``void cuda_tap_of_k(int n) {...}`` stands before it
``__constant__ float c[4];``                registered by name and size, with a way to read it
``cudaMalloc(...)`` and the like            ``cudaTapMalloc(...)``
``cudaLaunchKernel((void*)k, ...)``         ``cudaTapLaunchKernel(cuda_tap_of_k, (void*)k, ...)``
==========================================  ==================================================

A describer has the parameters, template arguments and overloads of its kernel, so a call of it
resolves as the launch does. A launch through a pointer has none: it is made and not recorded.
"""

from __future__ import annotations

from collections.abc import Sequence

from migrate.emulation.cuda_structure import (
    ATTRIBUTES,
    Scopes,
    declaration_around,
    parameter_list,
)
from migrate.emulation.cuda_tokens import (
    Token,
    TokenKind,
    angle_backward,
    lex,
    match_forward,
    split_top_level,
)
from migrate.emulation.declarators import parameter_name
from migrate.emulation.source_rewrite import (
    Edit,
    Rewriter,
    RewrittenSource,
    kernel_macros,
    kernel_names,
)

PREFIX = "cuda_tap_of_"
_LAUNCH_CALLS = frozenset({"cudaLaunchKernel"})
_MEMORY_CALLS = frozenset(
    {"cudaMalloc", "cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc", "cudaMallocAsync"}
    | {"cudaMallocPitch", "cudaMalloc3D", "cudaFree", "cudaFreeAsync", "cudaFreeHost"}
)
_DROPPED = frozenset({"__forceinline__", "__noinline__"})


class _Tap(Rewriter):
    """Rewrites for the tap; what a CUDA compiler understands stays as it is."""

    def word(self, tokens: Sequence[Token], at: int, scopes: Scopes) -> None:
        token = tokens[at]
        if at + 1 == len(tokens) or tokens[at + 1].text != "(":
            return
        if token.text in _MEMORY_CALLS:
            self.replace(token, token.text.replace("cuda", "cudaTap", 1))
        elif token.text in _LAUNCH_CALLS:
            self.launch_call(tokens, at)

    def launch(self, tokens: Sequence[Token], at: int) -> None:
        found = self.delimited(tokens, at)
        if found is None:
            return
        start, end, parts = found
        callee = tokens[start:at]
        describer = self.described(callee)
        if describer is None:
            self.insert(tokens[start].start, "::cuda_tap::uncaptured(), ")
            return
        parameters, passed = self.forwarding(parts)
        kernel = self.source[callee[0].start : callee[-1].end].replace("\n", " ")
        config = ", ".join(
            f"cuda_tap_c.{name}" for name in ("grid", "block", "shared_bytes", "stream")
        )
        split = f", {parameters}" if parameters else ""
        head = (
            f"::cuda_tap::launcher([&]({parameters}) {{ {describer}({passed}); }}, "
            f"[&](const ::cuda_tap::Config& cuda_tap_c{split}) "
            f"{{ {kernel}<<<{config}>>>({passed}); }}, ::cuda_tap::config("
        )
        self.edits.append(Edit(tokens[start].start, tokens[at].end, head))
        self.replace(tokens[end], "))")

    def described(self, callee: Sequence[Token]) -> str | None:
        """The callee's describer; None for an expression that names no kernel of the program."""
        name = len(callee) - 1
        if name >= 0 and callee[name].text in (">", ">>>"):
            name = angle_backward(callee, name) - 1
        if name < 0 or callee[name].text not in self.kernel_names:
            return None
        if name and callee[name - 1].text in (".", "->", "##"):
            return None
        before = self.source[callee[0].start : callee[name].start]
        after = self.source[callee[name].end : callee[-1].end]
        return f"{before}{PREFIX}{callee[name].text}{after}".replace("\n", " ")

    def launch_call(self, tokens: Sequence[Token], at: int) -> None:
        given = split_top_level(tokens[at + 2 : match_forward(tokens, at + 1)], angles=True)
        part = list(given[0]) if given else []
        while part and part[-1].text == ")":
            part.pop()  # of a cast that is written as a call
        names = [i for i, t in enumerate(part) if t.text in self.kernel_names]
        if not names:
            return
        first = names[-1]
        while first >= 2 and part[first - 1].text == "::":
            first -= 2
        describer = self.described(part[first:])
        if describer is not None:
            self.replace(tokens[at], "cudaTapLaunchKernel")
            self.insert(tokens[at + 1].end, f"{describer}, ")

    def kernel(self, tokens: Sequence[Token], at: int) -> None:
        opened = parameter_list(tokens, at + 1)
        if opened is None or tokens[opened - 1].kind is not TokenKind.IDENTIFIER:
            self.problem(tokens[at], "a kernel whose parameter list cannot be found")
            return
        close = match_forward(tokens, opened)
        body = close + 1
        while body < len(tokens) and tokens[body].text in ATTRIBUTES:
            body = match_forward(tokens, body + 1) + 1
        if body >= len(tokens) or tokens[body].text not in ("{", ";"):
            return  # an explicit specialisation of another kind
        start, _ = declaration_around(tokens, at)
        head = tokens[start:opened]
        if head[0].text == "template" and head[1].text != "<":
            return  # an explicit instantiation: the describer is instantiated where it is called
        names, parameters = self.parameters(tokens[opened + 1 : close])
        defined = tokens[body].text == "{"
        ends = f" {{ CUDA_TAP_DESCRIBE({', '.join(names)}) }} " if defined else "; "
        text = f"{self.without_attributes(head)}({parameters}){ends}"
        self.insert(head[0].start, text.replace("\n", " "))

    def without_attributes(self, head: Sequence[Token]) -> str:
        """The head of a kernel's declaration as that of a plain function, its describer."""
        words: list[str] = []
        index = 0
        while index < len(head) - 1:
            text = head[index].text
            if text in ATTRIBUTES and head[index + 1].text == "(":
                index = match_forward(head, index + 1)
            elif text not in self.kernel_words and text not in _DROPPED:
                words.append(text)
            index += 1
        return f"{' '.join(words)} {PREFIX}{head[-1].text}"

    def parameters(self, tokens: Sequence[Token]) -> tuple[list[str], str]:
        """The names of the parameters, and their text with a name for each."""
        names: list[str] = []
        texts: list[str] = []
        for number, part in enumerate(split_top_level(tokens, angles=True)):
            if not part or [t.text for t in part] == ["void"]:
                continue
            text = " ".join(t.text for t in part if t.text != "__grid_constant__")
            name = parameter_name(part)
            if name is None:
                name = f"cuda_emu_unnamed_{number}"
                text = f"{text} {name}"
            names.append(f"{name}..." if any(t.text == "..." for t in part) else name)
            texts.append(text)
        return names, ", ".join(texts)

    def registration(self, name: str, space: str, qualified: str) -> str:
        read = f"return cudaMemcpyFromSymbol(to, {qualified}, bytes);"
        return (
            f" static ::cuda_tap::Variable cuda_tap_variable_{name}"
            f'("{name}", "{space}", sizeof({qualified}), '
            f"[](void* to, std::size_t bytes) {{ {read} }});"
        )

    def share(self, token: Token) -> None:
        """Files of a CUDA compiler have their own."""

    def device_function(self, tokens: Sequence[Token], at: int, private: bool) -> None:
        """Stays as it is."""


def tap(
    source: str,
    kernel_words: frozenset[str] = frozenset(),
    other_kernels: frozenset[str] = frozenset(),
) -> RewrittenSource:
    """The source with the tap in it; arguments as for :func:`source_rewrite.rewrite`."""
    streams = lex(source)
    words = kernel_words | kernel_macros(streams) | {"__global__"}
    names = other_kernels | kernel_names(streams, words)
    tapped = _Tap(source, words, names, {})
    tapped.stream(streams.code, Scopes(streams))
    for macro in streams.macros:
        if macro.name not in words:
            tapped.stream(macro.body, Scopes(None))
    if not tapped.edits:
        return RewrittenSource(source, tuple(tapped.problems))
    text = f'#include "cuda_tap.h"\n#line 1\n{tapped.apply()}'
    return RewrittenSource(text, tuple(tapped.problems))
