"""Where things begin and end in a token stream: scopes, declarations, parameter lists, launches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from migrate.emulation.cuda_tokens import (
    OPENING,
    Token,
    TokenKind,
    TokenStreams,
    angle_backward,
    match_backward,
    match_forward,
)

# Words followed by parentheses that are not a parameter list.
ATTRIBUTES = frozenset(
    {"__launch_bounds__", "__attribute__", "alignas", "__align__", "__cluster_dims__"}
    | {"__maxnreg__", "__builtin_align__", "__declspec", "decltype", "noexcept"}
)


@dataclass(slots=True)
class Scopes:
    """Which braces enclose the current token: enough to tell file scope from function bodies."""

    streams: TokenStreams | None
    stack: list[str] = field(default_factory=list)
    saved: list[list[str]] = field(default_factory=list)
    next_conditional: int = 0
    parentheses: int = 0

    @property
    def in_namespace(self) -> bool:
        """At file or namespace scope, outside parentheses; never so inside a macro body."""
        return (
            self.streams is not None
            and self.parentheses == 0
            and all(s in ("namespace", "anonymous") for s in self.stack)
        )

    @property
    def in_anonymous(self) -> bool:
        """Inside a namespace without a name, whose members no other file sees."""
        return "anonymous" in self.stack

    def step(self, tokens: Sequence[Token], at: int) -> None:
        """Takes the token at ``at`` into account; call once for each token, in order."""
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
            return "anonymous" if index == at - 1 else "namespace"
        if text == "extern" and tokens[index + 1].kind is TokenKind.STRING:
            return "namespace"
    return "other"


def callee_start(tokens: Sequence[Token], at: int) -> int | None:
    """First token of the expression that names the kernel, which ends before ``<<<`` at ``at``."""
    index = at - 1
    while index >= 0:
        text = tokens[index].text
        if text in (">", ">>>"):
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


def configuration_end(tokens: Sequence[Token], at: int) -> int | None:
    """Index of the ``>>>`` that ends the launch configuration opened at ``at``."""
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


def parameter_list(tokens: Sequence[Token], at: int) -> int | None:
    """Index of the ``(`` that opens the parameters of the function declared from ``at`` on."""
    index = at
    while index < len(tokens):
        text = tokens[index].text
        if text in ATTRIBUTES and index + 1 < len(tokens) and tokens[index + 1].text == "(":
            index = match_forward(tokens, index + 1)
        elif text == "(":
            return index
        elif text in (";", "{", "}", "="):
            return None
        index += 1
    return None


def declaration_around(tokens: Sequence[Token], at: int) -> tuple[int, int]:
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


def is_function(region: Sequence[Token]) -> bool:
    """Whether a declaration with ``__device__`` declares a function rather than variables."""
    index = angle = 0
    while index < len(region):
        text = region[index].text
        if text in ATTRIBUTES and index + 1 < len(region) and region[index + 1].text == "(":
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


def specifiers_around(tokens: Sequence[Token], at: int) -> tuple[str, ...]:
    """The words of the declaration around ``at``, up to its parameters or body."""
    first = at
    while first > 0 and tokens[first - 1].text not in (";", "{", "}", ")", ":"):
        first -= 1
    last = at
    while last < len(tokens) and tokens[last].text not in (";", "{", "}", "("):
        last += 1
    return tuple(t.text for t in tokens[first:last])
