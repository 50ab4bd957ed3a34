"""Turns a CUDA source into C++ for the CPU runtime, by edits that keep every line where it was.

==========================================  ==================================================
``k<<<g, b>>>(x)``                          ``launcher([=](auto&... a) {k(a...);}, config(g,b))(x)``
``__global__ void k(int n) {``              ``... { CUDA_EMU_KERNEL_ENTRY(n)``
``__shared__ float s[8];``                  a struct of its own, placed in the block's arena
``extern __shared__ T s[];``                a reference to the block's dynamic shared memory
``__constant__ float c[4];``                the same, registered by name, address and size
``cudaMemcpyToSymbol(c<T>, ...)``           ``c<T>`` of a variable template is registered there
``cudaLaunchKernel((void*)k, ...)``         the cast goes, so that the parameter types are known
``asm("add.s32 %0, ..." : ...)``            a block of calls that do what the PTX says
``(int)x``  ``int i = x;``                  the same of ``::cuda_emu::converted<int>(x)``
==========================================  ==================================================

The rest of CUDA's spelling is macros in ``cuda_emu/emu/keywords.h``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from migrate.emulation.cuda_structure import (
    ATTRIBUTES,
    Scopes,
    callee_start,
    configuration_end,
    declaration_around,
    is_function,
    parameter_list,
    specifiers_around,
)
from migrate.emulation.cuda_tokens import (
    Token,
    TokenKind,
    TokenStreams,
    lex,
    match_forward,
    split_top_level,
)
from migrate.emulation.declarators import declared_name, parameter_name
from migrate.emulation.integer_conversions import integer_conversions
from migrate.emulation.ptx_asm import ASM_QUALIFIERS, ASM_WORDS, translate_asm
from migrate.ir.ptx_text import decode_literal

_INLINE = frozenset({"inline", "__inline__", "__inline"})
# A declaration with one of these needs no help to be defined in several files, or must not get it.
_LINKAGE_GIVEN = _INLINE | {"static", "extern", "template", "constexpr", "friend", "__host__"}
_LINKAGE_GIVEN |= {"__forceinline__", "__global__", "using", "typedef", "operator"}
_SPACES = frozenset({"__constant__", "__device__", "__managed__"})
_SYMBOL_CALLS = frozenset({"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"})
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
class Edit:
    """Text that takes the place of ``source[start:end]``."""

    start: int
    end: int
    text: str


@dataclass(slots=True)
class Rewriter:
    """Edits of one source. ``tap_rewrite.py`` has one that leaves it CUDA."""

    source: str
    kernel_words: frozenset[str]
    kernel_names: frozenset[str]
    strings: Mapping[str, str]
    edits: list[Edit] = field(default_factory=list)
    problems: list[RewriteProblem] = field(default_factory=list)
    counter: int = 0

    # -- bookkeeping ------------------------------------------------------------------------------

    def insert(self, at: int, text: str) -> None:
        """Put text before the character at ``at``."""
        self.edits.append(Edit(at, at, text))

    def replace(self, token: Token, text: str) -> None:
        """Put text in place of a token."""
        self.edits.append(Edit(token.start, token.end, text))

    def problem(self, token: Token, message: str) -> None:
        """Note what could not be handled."""
        line = self.source.count("\n", 0, token.start) + 1
        self.problems.append(RewriteProblem(line, message))

    def apply(self) -> str:
        """The source with all edits made."""
        out: list[str] = []
        position = 0
        for edit in sorted(self.edits, key=lambda e: (e.start, e.end)):
            out.append(self.source[position : edit.start])
            out.append(edit.text)
            # Lines inside a replaced stretch stay, so that what follows keeps its number.
            gone = self.source[edit.start : edit.end]
            out.append(("\\\n" if "\\\n" in gone else "\n") * gone.count("\n"))
            position = max(position, edit.end)
        out.append(self.source[position:])
        return "".join(out)

    # -- one stream of tokens ---------------------------------------------------------------------

    def stream(self, tokens: Sequence[Token], scopes: Scopes) -> None:
        """Find what to edit in one stream of tokens: the code, or the body of a macro."""
        handled_until = 0
        for at, token in enumerate(tokens):
            scopes.step(tokens, at)
            if token.text == "<<<":
                self.launch(tokens, at)
            if token.kind is not TokenKind.IDENTIFIER:
                continue
            if token.text in self.kernel_words:
                self.kernel(tokens, at)
            elif token.text in _SPACES and at >= handled_until and scopes.in_namespace:
                handled_until = self.variable(tokens, at, scopes.in_anonymous)
            else:
                self.word(tokens, at, scopes)

    def word(self, tokens: Sequence[Token], at: int, scopes: Scopes) -> None:
        """What a word other than a kernel's or a variable's space asks for."""
        token = tokens[at]
        if token.text == "__shared__":
            self.shared(tokens, at, scopes.in_namespace)
        elif token.text == "__forceinline__":
            if _INLINE & set(specifiers_around(tokens, at)):
                self.replace(token, "")
        elif token.text == "__noinline__":
            if at and tokens[at - 1].text not in ("(", ","):
                self.replace(token, "__attribute__((noinline))")
        elif token.text in _SYMBOL_CALLS:
            self.symbol_call(tokens, at)
        elif token.text in _LAUNCH_CALLS:
            self.launch_call(tokens, at)
        elif token.text in self.kernel_names:
            self.kernel_pointer(tokens, at)
        elif token.text in ASM_WORDS:
            self.assembly(tokens, at)

    # -- launches ---------------------------------------------------------------------------------

    def delimited(
        self, tokens: Sequence[Token], at: int
    ) -> tuple[int, int, tuple[tuple[Token, ...], ...]] | None:
        """Where the callee of the ``<<<`` at ``at`` starts, where ``>>>`` is, and the arguments."""
        start = callee_start(tokens, at)
        end = configuration_end(tokens, at)
        if start is None or end is None:
            self.problem(tokens[at], "a launch whose kernel or configuration cannot be delimited")
            return None
        opened = end + 1 < len(tokens) and tokens[end + 1].text == "("
        close = match_forward(tokens, end + 1) if opened else end + 1
        return start, end, split_top_level(tokens[end + 2 : close], angles=False)

    def launch(self, tokens: Sequence[Token], at: int) -> None:
        """A launch, by its ``<<<``."""
        found = self.delimited(tokens, at)
        if found is None:
            return
        start, end, parts = found
        parameters, passed = self.forwarding(parts)
        head = f"::cuda_emu::launcher([=]({parameters}) {{ "
        self.insert(tokens[start].start, head)
        self.replace(tokens[at], f"({passed}); }}, ::cuda_emu::config(")
        self.replace(tokens[end], "))")

    def forwarding(self, parts: Sequence[Sequence[Token]]) -> tuple[str, str]:
        """Parameters of the lambda that calls the kernel, and what it passes on.

        A null pointer constant loses its meaning when it is passed on by value: it stays where the
        kernel is called and leaves the argument list.
        """
        null = [len(p) == 1 and p[0].text in ("0", "NULL", "nullptr") for p in parts]
        if not any(null) or any(t.text == "..." for p in parts for t in p):
            return "auto&... cuda_emu_a", "cuda_emu_a..."
        names = [f"cuda_emu_a{number}" for number in range(len(parts))]
        kept = [number for number in range(len(parts)) if not null[number]]
        for number, part in enumerate(parts):
            if not null[number]:
                continue
            # The comma goes with it: the one before if an argument that stays comes before.
            before = any(not n for n in null[:number])
            end = parts[number + 1][0].start if number + 1 < len(parts) else part[0].end
            start = parts[number - 1][-1].end if before else part[0].start
            self.edits.append(Edit(start, part[0].end if before else end, ""))
        passed = [p[0].text if null[n] else names[n] for n, p in enumerate(parts)]
        return ", ".join(f"auto& {names[number]}" for number in kept), ", ".join(passed)

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
            self.edits.append(Edit(part[0].start, part[close].end, ""))
        elif part[0].text in ("reinterpret_cast", "static_cast"):
            opened = next((i for i, t in enumerate(part) if t.text == "("), None)
            if opened is not None:
                self.edits.append(Edit(part[0].start, part[opened].start, ""))
        if part[-1].kind is TokenKind.IDENTIFIER or part[-1].text in (">", ")"):
            ampersand = next((t for t in part if t.text == "&"), None)
            if ampersand is not None and len(part) > 2:
                self.replace(ampersand, "")

    def kernel_pointer(self, tokens: Sequence[Token], at: int) -> None:
        """``(void *)k<T>`` registers the kernel under the address that the cast gives."""
        start = at - 1 if at and tokens[at - 1].text == "&" else at
        cast = [t.text for t in tokens[max(start - 6, 0) : start] if t.text != "const"]
        if cast[-4:] not in (["(", "void", "*", ")"],) and cast[-5:] != [
            "<",
            "void",
            "*",
            ">",
            "(",
        ]:
            return
        if any(t.text in _LAUNCH_CALLS for t in tokens[max(start - 7, 0) : start]):
            return
        end = at
        if at + 1 < len(tokens) and tokens[at + 1].text == "<":
            depth = 0
            for end in range(at + 1, len(tokens)):
                depth += (tokens[end].text == "<") - tokens[end].text.count(">")
                if depth <= 0:
                    break
        self.insert(tokens[start].start, "::cuda_emu::kernel_pointer(")
        self.insert(tokens[end].end, ")")

    # -- conversions ------------------------------------------------------------------------------

    def convert_integers(self, tokens: Sequence[Token]) -> None:
        """Values that become integers, outside of what other edits took away; call it last."""
        taken = [(e.start, e.end) for e in self.edits if e.start < e.end]
        for c in integer_conversions(self.source, tokens, self.kernel_words):
            if not any(start < c.end and c.start < end for start, end in taken):
                self.insert(c.start, f"::cuda_emu::converted<{c.target}>(")
                self.insert(c.end, ")")

    # -- kernels ----------------------------------------------------------------------------------

    def kernel(self, tokens: Sequence[Token], at: int) -> None:
        """A kernel, by its ``__global__``."""
        opened = parameter_list(tokens, at + 1)
        if opened is None:
            self.problem(tokens[at], "a kernel whose parameter list cannot be found")
            return
        close = match_forward(tokens, opened)
        body = close + 1
        while body < len(tokens) and tokens[body].text in ATTRIBUTES:
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

    # -- assembly ---------------------------------------------------------------------------------

    def assembly(self, tokens: Sequence[Token], at: int) -> None:
        """PTX becomes C++; what has no C++ ends the program when it is reached."""
        opened = at + 1
        while opened < len(tokens) and tokens[opened].text in ASM_QUALIFIERS:
            opened += 1
        if opened >= len(tokens) or tokens[opened].text != "(":
            return
        close = match_forward(tokens, opened)
        if close >= len(tokens):
            return
        block = translate_asm(tokens[opened + 1 : close], self.source, self.strings)
        if block is None:
            return
        if block.refused:
            self.problem(tokens[at], f"inline PTX: {block.refused}")
        self.edits.append(Edit(tokens[at].start, tokens[close].end, block.text))

    # -- shared memory ----------------------------------------------------------------------------

    def shared(self, tokens: Sequence[Token], at: int, in_namespace: bool) -> None:
        """Shared variables, by their ``__shared__``."""
        start, end = declaration_around(tokens, at)
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
                self.edits.append(Edit(token.start, region[close].end, ""))
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
        """Shared variables of known size, in the block's arena."""
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
            self.edits.append(Edit(part[opened].start, part[-1].end, ""))

    # -- device variables -------------------------------------------------------------------------

    def variable(self, tokens: Sequence[Token], at: int, private: bool) -> int:
        """Registers the variables of a declaration; returns the index after what was looked at."""
        start, end = declaration_around(tokens, at)
        region = tokens[start:end]
        texts = {t.text for t in region}
        if is_function(region):
            self.device_function(tokens, at, private)
            return at + 1
        if end >= len(tokens):
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
            registrations += self.registration(name.text, space, _qualified(part, name))
        self.insert(tokens[end].end, registrations)
        if not private and not texts & {"static", "inline", "const", "constexpr"}:
            self.share(tokens[at])
        return end

    def registration(self, name: str, space: str, qualified: str) -> str:
        """What stands behind the definition of a device variable."""
        return (
            f" static ::cuda_emu::Registration cuda_emu_registration_{name}"
            f'("{name}", "{space}", {qualified});'
        )

    def share(self, token: Token) -> None:
        """A header's variable is one for each file that includes it; here the files share one."""
        self.insert(token.start, "__attribute__((weak)) ")

    def symbol_call(self, tokens: Sequence[Token], at: int) -> None:
        """``cudaMemcpyToSymbol(mask<T>, ...)`` registers that variable of a template: where the
        template is defined its instances are not known."""
        if at + 1 >= len(tokens) or tokens[at + 1].text != "(":
            return
        given = split_top_level(tokens[at + 2 : match_forward(tokens, at + 1)], angles=True)
        part = given[0] if given else ()
        if len(part) < 3 or part[-1].text != ">":
            return
        opened = next((i for i, t in enumerate(part) if t.text == "<"), None)
        names = part[:opened]
        if not names or any(t.kind is not TokenKind.IDENTIFIER and t.text != "::" for t in names):
            return
        self.insert(part[0].start, "::cuda_emu::template_variable<")
        self.insert(part[-1].end, f'>("{names[-1].text}")')

    def device_function(self, tokens: Sequence[Token], at: int, private: bool) -> None:
        """A function for the device only may be defined in a header that several files include."""
        words = set(specifiers_around(tokens, at))
        opened = parameter_list(tokens, at + 1)
        if private or opened is None or words & _LINKAGE_GIVEN:
            return
        body = match_forward(tokens, opened) + 1
        if body < len(tokens) and tokens[body].text == "{":
            self.insert(tokens[at].start, "inline __attribute__((used)) ")


def _qualified(part: Sequence[Token], name: Token) -> str:
    """The declared name with the classes or namespaces that stand before it."""
    at = next(i for i, t in enumerate(part) if t is name)
    while at >= 2 and part[at - 1].text == "::" and part[at - 2].kind is TokenKind.IDENTIFIER:
        at -= 2
    stop = next(i for i, t in enumerate(part) if t is name)
    return "".join(t.text for t in part[at : stop + 1])


def kernel_macros(streams: TokenStreams) -> frozenset[str]:
    """Macros without parameters that stand for ``__global__`` and perhaps other specifiers."""
    return frozenset(
        macro.name
        for macro in streams.macros
        if macro.plain
        and any(token.text == "__global__" for token in macro.body)
        and not any(token.text in "({;" for token in macro.body)
    )


def kernel_names(streams: TokenStreams, kernel_words: frozenset[str]) -> frozenset[str]:
    """Names of the functions that the file defines or declares as kernels."""
    names: set[str] = set()
    for tokens in (streams.code, *(macro.body for macro in streams.macros)):
        for at, token in enumerate(tokens):
            if token.text in kernel_words:
                opened = parameter_list(tokens, at + 1)
                if opened is not None and tokens[opened - 1].kind is TokenKind.IDENTIFIER:
                    names.add(tokens[opened - 1].text)
    return frozenset(names)


def string_macros(streams: TokenStreams) -> dict[str, str]:
    """Macros without parameters that stand for one string, which asm templates are made with."""
    return {
        macro.name: "".join(decode_literal(token.text) for token in macro.body)
        for macro in streams.macros
        if macro.plain
        and macro.body
        and all(t.kind is TokenKind.STRING and t.text.startswith('"') for t in macro.body)
    }


def rewrite(
    source: str,
    kernel_words: frozenset[str] = frozenset(),
    other_kernels: frozenset[str] = frozenset(),
    conversions: bool = True,
) -> RewrittenSource:
    """Rewrites one CUDA source or header. Never fails; what it cannot do is in ``problems``.

    ``kernel_words`` are macros of other files that stand for ``__global__``, ``other_kernels`` the
    kernels of other files. Without ``conversions`` a float that no integer can hold becomes what
    the host compiler makes of it (``integer_conversions.py``).
    """
    streams = lex(source)
    words = kernel_words | kernel_macros(streams) | {"__global__"}
    names = other_kernels | kernel_names(streams, words)
    rewriter = Rewriter(source, words, names, string_macros(streams))
    rewriter.stream(streams.code, Scopes(streams))
    for macro in streams.macros:
        if macro.name not in words:
            rewriter.stream(macro.body, Scopes(None))
    if conversions:
        rewriter.convert_integers(streams.code)
    return RewrittenSource(rewriter.apply(), tuple(rewriter.problems))
