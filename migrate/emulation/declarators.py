"""Names inside C++ declarators, found without knowing any types."""

from __future__ import annotations

from collections.abc import Sequence

from migrate.emulation.cuda_tokens import Token, TokenKind, match_forward

_TYPES = ("void", "bool", "char", "short", "int", "long", "float", "double", "unsigned", "signed")
_WIDE = ("wchar_t", "char8_t", "char16_t", "char32_t", "auto")
_KEYS = ("const", "volatile", "typename", "struct", "class", "union", "enum", "__grid_constant__")
_RESTRICT = ("__restrict__", "__restrict", "restrict", "__const__", "mutable")
_STORAGE = ("static", "extern", "register", "inline", "constexpr", "thread_local", "__inline__")
_SPACES = ("__shared__", "__device__", "__constant__", "__managed__")
_TYPE_WORDS = frozenset((*_TYPES, *_WIDE, *_KEYS, *_RESTRICT, *_STORAGE, *_SPACES))
_QUALIFIERS = frozenset(_KEYS)
_ATTRIBUTES = frozenset({"__align__", "alignas", "__attribute__", "__builtin_align__"})


def declared_name(part: Sequence[Token]) -> Token | None:
    """The name that one declarator declares: ``volatile float a[4] = {0}`` gives ``a``.

    ``part`` may start with the declaration's type (the first declarator) or not (the others).
    """
    name: Token | None = None
    index = angle = 0
    while index < len(part):
        token = part[index]
        text = token.text
        if text in _ATTRIBUTES and index + 1 < len(part) and part[index + 1].text == "(":
            index = match_forward(part, index + 1)
        elif text == "<":
            angle += 1
        elif text in (">", ">>>"):
            angle -= len(text)
        elif angle <= 0 and text == "(":
            return _name_in_parentheses(part, index) or name
        elif angle <= 0 and text == "{" and name is not None and not _is_definition(part, index):
            return name
        elif text == "{":
            index = match_forward(part, index)
        elif angle <= 0 and text in ("[", "="):
            return name
        elif angle <= 0 and token.kind is TokenKind.IDENTIFIER and text not in _TYPE_WORDS:
            name = token
        index += 1
    return name


def _is_definition(part: Sequence[Token], brace: int) -> bool:
    return any(t.text in ("struct", "union", "class", "enum") for t in part[:brace])


def _name_in_parentheses(part: Sequence[Token], opened: int) -> Token | None:
    """The name in ``float (*name)[4]`` or ``void (*name)(int)``."""
    close = match_forward(part, opened)
    inner = part[opened + 1 : close]
    if not any(t.text in ("*", "&") for t in inner):
        return None
    words = [t for t in inner if t.kind is TokenKind.IDENTIFIER and t.text not in _TYPE_WORDS]
    return words[-1] if words else None


def parameter_name(part: Sequence[Token]) -> str | None:
    """The name of a function parameter; None for one that has none."""
    tokens = _without_default(part)
    for index, token in enumerate(tokens):
        if token.text == "(" and index:
            inner = _name_in_parentheses(tokens, index)
            if inner is not None:
                return inner.text
    while tokens and tokens[-1].text == "]":
        opened = next((i for i, t in enumerate(tokens) if t.text == "["), None)
        if opened is None:
            return None
        tokens = tokens[:opened]
    if not tokens or tokens[-1].kind is not TokenKind.IDENTIFIER:
        return None
    last = tokens[-1]
    before = [t.text for t in tokens[:-1]]
    if last.text in _TYPE_WORDS or not before or before[-1] == "::":
        return None
    if all(text in _QUALIFIERS for text in before):
        return None  # `const size_t`: the one word left is the type
    return last.text


def _without_default(part: Sequence[Token]) -> list[Token]:
    out: list[Token] = []
    depth = 0
    for token in part:
        if token.text in ("(", "[", "{", "<"):
            depth += 1
        elif token.text in (")", "]", "}", ">"):
            depth -= 1
        elif token.text == "=" and depth == 0:
            break
        out.append(token)
    return out
