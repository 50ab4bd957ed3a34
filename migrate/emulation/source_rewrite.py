"""Turns a CUDA source into C++ for the CPU runtime, by edits that keep every line where it was.

==========================================  ==================================================
``k<<<g, b>>>(x)``                          ``launcher([&](auto&... a) {k(a...);}, config(g,b))(x)``
``__global__ void k(int n) {``              ``... { CUDA_EMU_KERNEL_ENTRY(n)``
``__shared__ float s[8];``                  a struct of its own, placed in the block's arena
``extern __shared__ T s[];``                a reference to the block's dynamic shared memory
``__constant__ float c[4];``                the same, registered by name, address and size
``cudaLaunchKernel((void*)k, ...)``         the cast goes, so that the parameter types are known
==========================================  ==================================================

The rest of CUDA's spelling is macros in ``cuda_emu/emu/keywords.h``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from migrate.emulation.cuda_tokens import (
    OPENING,
    Token,
    TokenKind,
    TokenStreams,
    angle_backward,
    lex,
    match_backward,
    match_forward,
    split_top_level,
)
from migrate.emulation.declarators import declared_name, parameter_name

_ATTRIBUTES = frozenset(
    {"__launch_bounds__", "__attribute__", "alignas", "__align__", "__cluster_dims__"}
    | {"__maxnreg__", "__builtin_align__", "__declspec", "decltype", "noexcept"}
)
_INLINE = frozenset({"inline", "__inline__", "__inline"})
_SPACES = frozenset({"__constant__", "__device__", "__managed__"})
_LAUNCH_CALLS = frozenset({"cudaLaunchKernel", "cudaLaunchCooperativeKernel"})


@dataclass(frozen=True, slots=True)
class RewriteProblem:
    """A construct that the rewriter saw and could not handle; ``line`` counts from 1."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class RewrittenSource:
    """The C++ text (same number of lines) and what could not be handled."""

    text: str
    problems: tuple[RewriteProblem, ...]


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    text: str


@dataclass(slots=True)
class _Rewriter:
    source: str
    edits: list[_Edit] = field(default_factory=list)
    problems: list[RewriteProblem] = field(default_factory=list)
    counter: int = 0

    # -- bookkeeping ------------------------------------------------------------------------------

    def insert(self, at: int, text: str) -> None:
        self.edits.append(_Edit(at, at, text))

    def replace(self, token: Token, text: str) -> None:
        self.edits.append(_Edit(token.start, token.end, text))

    def problem(self, token: Token, message: str) -> None:
        line = self.source.count("\n", 0, token.start) + 1
        self.problems.append(RewriteProblem(line, message))

    def apply(self) -> str:
        out: list[str] = []
        position = 0
        for edit in sorted(self.edits, key=lambda e: (e.start, e.end)):
            out.append(self.source[position : edit.start])
            out.append(edit.text)
            # Lines inside a replaced stretch stay, so that what follows keeps its number.
            out.append("\n" * self.source.count("\n", edit.start, edit.end))
            position = max(position, edit.end)
        out.append(self.source[position:])
        return "".join(out)

    # -- one stream of tokens ---------------------------------------------------------------------

    def stream(self, tokens: Sequence[Token], scopes: _Scopes) -> None:
        handled_until = 0
        for at, token in enumerate(tokens):
            scopes.step(tokens, at)
            if token.text == "<<<":
                self.launch(tokens, at)
            if token.kind is not TokenKind.IDENTIFIER:
                continue
            if token.text == "__global__":
                self.kernel(tokens, at)
            elif token.text == "__shared__":
                self.shared(tokens, at, scopes.in_namespace)
            elif token.text in _SPACES and at >= handled_until and scopes.in_namespace:
                handled_until = self.variable(tokens, at)
            elif token.text == "__forceinline__":
                if _INLINE & set(_specifiers_around(tokens, at)):
                    self.replace(token, "")
            elif token.text == "__noinline__":
                if at and tokens[at - 1].text not in ("(", ","):
                    self.replace(token, "__attribute__((noinline))")
            elif token.text in _LAUNCH_CALLS:
                self.launch_call(tokens, at)

    # -- launches ---------------------------------------------------------------------------------

    def launch(self, tokens: Sequence[Token], at: int) -> None:
        start = _callee_start(tokens, at)
        end = _configuration_end(tokens, at)
        if start is None or end is None:
            self.problem(tokens[at], "a launch whose kernel or configuration cannot be delimited")
            return
        self.insert(tokens[start].start, "::cuda_emu::launcher([&](auto&... cuda_emu_a) { ")
        self.replace(tokens[at], "(cuda_emu_a...); }, ::cuda_emu::config(")
        self.replace(tokens[end], "))")
        if end + 1 < len(tokens) and tokens[end + 1].text == "(":
            close = match_forward(tokens, end + 1)
            for part in split_top_level(tokens[end + 2 : close], angles=False):
                # A null pointer constant loses its meaning when it is passed on by value.
                if len(part) == 1 and part[0].text == "NULL":
                    self.replace(part[0], "nullptr")

    def launch_call(self, tokens: Sequence[Token], at: int) -> None:
        """Takes the cast off the kernel in ``cudaLaunchKernel((void*)k<T>, ...)``."""
        if at + 1 >= len(tokens) or tokens[at + 1].text != "(":
            return
        first = split_top_level(tokens[at + 2 : match_forward(tokens, at + 1)], angles=True)
        if not first or not first[0]:
            return
        part = first[0]
        if part[0].text == "(" and "void" in [t.text for t in part]:
            close = match_forward(part, 0)
            self.edits.append(_Edit(part[0].start, part[close].end, ""))
        elif part[0].text in ("reinterpret_cast", "static_cast"):
            opened = next((i for i, t in enumerate(part) if t.text == "("), None)
            if opened is not None:
                self.edits.append(_Edit(part[0].start, part[opened].start, ""))
        if part[-1].kind is TokenKind.IDENTIFIER or part[-1].text in (">", ")"):
            ampersand = next((t for t in part if t.text == "&"), None)
            if ampersand is not None and len(part) > 2:
                self.replace(ampersand, "")

    # -- kernels ----------------------------------------------------------------------------------

    def kernel(self, tokens: Sequence[Token], at: int) -> None:
        opened = _parameter_list(tokens, at + 1)
        if opened is None:
            self.problem(tokens[at], "a kernel whose parameter list cannot be found")
            return
        close = match_forward(tokens, opened)
        body = close + 1
        while body < len(tokens) and tokens[body].text in _ATTRIBUTES:
            body = match_forward(tokens, body + 1) + 1
        if body >= len(tokens) or tokens[body].text != "{":
            return  # a declaration
        names: list[str] = []
        for number, part in enumerate(split_top_level(tokens[opened + 1 : close], angles=True)):
            if not part or [t.text for t in part] == ["void"]:
                continue
            name = parameter_name(part)
            if name is None:
                name = f"cuda_emu_unnamed_{number}"
                self.insert(part[-1].end, f" {name}")
            pack = any(t.text == "..." for t in part)
            names.append(f"{name}..." if pack else name)
        self.insert(tokens[body].end, f" CUDA_EMU_KERNEL_ENTRY({', '.join(names)})")

    # -- shared memory ----------------------------------------------------------------------------

    def shared(self, tokens: Sequence[Token], at: int, in_namespace: bool) -> None:
        start, end = _declaration(tokens, at)
        if end >= len(tokens):
            return  # a macro that is only part of a declaration: the `__shared__` macro serves
        region = tokens[start:end]
        external = any(t.text == "extern" for t in region)
        if in_namespace and not external:
            return
        parts = split_top_level(region, angles=True)
        names = [declared_name(part) for part in parts]
        found = [name for name in names if name is not None]
        if len(found) != len(names) or not found:
            self.problem(tokens[at], "a shared variable whose name cannot be found")
            return
        for index, token in enumerate(region):
            if token.text in ("extern", "static", "__shared__"):
                self.replace(token, "")
            elif external and token.text in ("__align__", "alignas", "__attribute__"):
                close = match_forward(region, index + 1)
                self.edits.append(_Edit(token.start, region[close].end, ""))
        if external and in_namespace:
            self.global_dynamic(parts, found)
        elif external:
            self.insert(region[0].start, "typedef ")
            for name in found:
                self.insert(name.start, "cuda_emu_dynamic_")
            self.insert(
                tokens[end].end,
                "".join(
                    f" auto& {n.text} = ::cuda_emu::dynamic_shared<cuda_emu_dynamic_{n.text}>();"
                    for n in found
                ),
            )
        else:
            self.static_shared(region, found, tokens[end])

    def static_shared(self, region: Sequence[Token], names: list[Token], end: Token) -> None:
        self.counter += 1
        tag = f"cuda_emu_shared_{self.counter}"
        self.insert(region[0].start, f"struct {tag} {{ ")
        references = "".join(f" auto& {n.text} = {tag}_memory.{n.text};" for n in names)
        self.insert(
            end.end, f" }}; auto& {tag}_memory = ::cuda_emu::static_shared<{tag}>();{references}"
        )

    def global_dynamic(self, parts: Sequence[Sequence[Token]], names: list[Token]) -> None:
        """``extern __shared__ T s[];`` outside functions: an object that converts to ``T*``."""
        part, name = parts[0], names[0]
        first = next(t for t in part if t.text not in ("extern", "__shared__", "static"))
        self.insert(first.start, "static ::cuda_emu::DynamicShared<")
        self.insert(name.start, "> ")
        opened = next((i for i, t in enumerate(part) if t.text == "["), None)
        if opened is not None:
            self.edits.append(_Edit(part[opened].start, part[-1].end, ""))

    # -- device variables -------------------------------------------------------------------------

    def variable(self, tokens: Sequence[Token], at: int) -> int:
        """Registers the variables of a declaration; returns the index after what was looked at."""
        start, end = _declaration(tokens, at)
        region = tokens[start:end]
        texts = {t.text for t in region}
        if end >= len(tokens) or _is_function(region):
            return at + 1
        if texts & {"extern", "__shared__", "template", "typedef", "using", "operator"}:
            return end
        space = (
            "constant"
            if "__constant__" in texts
            else "managed"
            if "__managed__" in texts
            else "device"
        )
        registrations = ""
        for part in split_top_level(region, angles=True):
            name = declared_name(part)
            if name is None:
                return end
            registrations += (
                f" static ::cuda_emu::Registration cuda_emu_registration_{name.text}"
                f'("{name.text}", "{space}", {name.text});'
            )
        self.insert(tokens[end].end, registrations)
        return end


@dataclass(slots=True)
class _Scopes:
    """Which braces enclose the current token: enough to tell file scope from function bodies."""

    streams: TokenStreams | None
    stack: list[str] = field(default_factory=list)
    saved: list[list[str]] = field(default_factory=list)
    next_conditional: int = 0
    parentheses: int = 0

    @property
    def in_namespace(self) -> bool:
        return (
            self.streams is not None
            and self.parentheses == 0
            and all(s == "namespace" for s in self.stack)
        )

    def step(self, tokens: Sequence[Token], at: int) -> None:
        if self.streams is None:
            return
        conditionals = self.streams.conditionals
        while (
            self.next_conditional < len(conditionals)
            and conditionals[self.next_conditional].before <= at
        ):
            self._conditional(conditionals[self.next_conditional].what)
            self.next_conditional += 1
        text = tokens[at].text
        if text == "{":
            self.stack.append(_brace_kind(tokens, at))
        elif text == "}" and self.stack:
            self.stack.pop()
        elif text == "(":
            self.parentheses += 1
        elif text == ")":
            self.parentheses = max(0, self.parentheses - 1)

    def _conditional(self, what: str) -> None:
        # Each branch of an #if starts in the scope that the #if stands in.
        if what == "if":
            self.saved.append(list(self.stack))
        elif what == "else" and self.saved:
            self.stack = list(self.saved[-1])
        elif what == "endif" and self.saved:
            self.saved.pop()


def _brace_kind(tokens: Sequence[Token], at: int) -> str:
    for index in range(at - 1, max(-1, at - 12), -1):
        text = tokens[index].text
        if text in (";", "}", "{", ")"):
            return "other"
        if text == "namespace":
            return "namespace"
        if text == "extern" and tokens[index + 1].kind is TokenKind.STRING:
            return "namespace"
    return "other"


def _callee_start(tokens: Sequence[Token], at: int) -> int | None:
    """First token of the expression that names the kernel, which ends before ``<<<`` at ``at``."""
    index = at - 1
    while index >= 0:
        text = tokens[index].text
        if text == ">":
            index = angle_backward(tokens, index) - 1
        elif text == "]":
            index = match_backward(tokens, index) - 1
            continue
        elif text == ")":
            index = match_backward(tokens, index)
            if index > 0 and tokens[index - 1].kind is TokenKind.IDENTIFIER:
                index -= 1
        if index < 0:
            return None
        named = tokens[index].kind is TokenKind.IDENTIFIER
        if not named and tokens[index].text not in ("(", "::"):
            return None
        if index and tokens[index - 1].text == "template":
            index -= 1
        before = tokens[index - 1].text if index else ""
        if before in (".", "->", "##"):
            index -= 2
        elif before == "::":
            qualified = index >= 2 and (
                tokens[index - 2].kind is TokenKind.IDENTIFIER or tokens[index - 2].text == ">"
            )
            if not qualified or tokens[index - 2].text in ("return", "else", "do"):
                return index - 1
            index -= 2
        else:
            return index
    return None


def _configuration_end(tokens: Sequence[Token], at: int) -> int | None:
    depth = 0
    for index in range(at + 1, len(tokens)):
        text = tokens[index].text
        if text in OPENING:
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
            if depth < 0:
                return None
        elif text == ">>>" and depth == 0:
            return index
        elif text == ";" and depth == 0:
            return None
    return None


def _parameter_list(tokens: Sequence[Token], at: int) -> int | None:
    """Index of the ``(`` that opens the parameters of the function declared from ``at`` on."""
    index = at
    while index < len(tokens):
        text = tokens[index].text
        if text in _ATTRIBUTES and index + 1 < len(tokens) and tokens[index + 1].text == "(":
            index = match_forward(tokens, index + 1)
        elif text == "(":
            return index
        elif text in (";", "{", "}", "="):
            return None
        index += 1
    return None


def _declaration(tokens: Sequence[Token], at: int) -> tuple[int, int]:
    """First token of the declaration around ``at``, and the index of its ``;``."""
    start = at
    while start > 0 and tokens[start - 1].text not in (";", "{", "}", ")", ":"):
        start -= 1
    end = at
    while end < len(tokens) and tokens[end].text != ";":
        if tokens[end].text in OPENING:
            end = match_forward(tokens, end)
        end += 1
    return start, min(end, len(tokens))


def _is_function(region: Sequence[Token]) -> bool:
    """Whether a declaration with ``__device__`` declares a function rather than variables."""
    index = angle = 0
    while index < len(region):
        text = region[index].text
        if text in _ATTRIBUTES and index + 1 < len(region) and region[index + 1].text == "(":
            index = match_forward(region, index + 1)
        elif text == "<":
            angle += 1
        elif text in (">", ">>>"):
            angle -= len(text)
        elif angle <= 0 and text == "(":
            return True
        elif angle <= 0 and text in ("[", "=", ";", ","):
            return False
        elif angle <= 0 and text == "{":
            # Braces directly after a type keyword belong to a struct that is defined in place.
            if not {"struct", "union", "class", "enum"} & {t.text for t in region[:index]}:
                return False
            index = match_forward(region, index)
        index += 1
    return False


def _specifiers_around(tokens: Sequence[Token], at: int) -> tuple[str, ...]:
    first = at
    while first > 0 and tokens[first - 1].text not in (";", "{", "}", ")", ":"):
        first -= 1
    last = at
    while last < len(tokens) and tokens[last].text not in (";", "{", "}", "("):
        last += 1
    return tuple(t.text for t in tokens[first:last])


def rewrite(source: str) -> RewrittenSource:
    """Rewrites one CUDA source or header. Never fails; what it cannot do is in ``problems``."""
    streams = lex(source)
    rewriter = _Rewriter(source)
    rewriter.stream(streams.code, _Scopes(streams))
    for body in streams.macros:
        rewriter.stream(body, _Scopes(None))
    return RewrittenSource(rewriter.apply(), tuple(rewriter.problems))
