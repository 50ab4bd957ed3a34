"""The grammar of CMake's language: commands, arguments and comments with their places.

As in cmake-language(7): a file is a row of command invocations; an argument is quoted, in brackets
``[==[...]==]`` or bare; parentheses nest; ``#`` starts a comment, and ``#[[`` one in brackets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

_NAME = re.compile(r"[A-Za-z_]\w*")
_BRACKET = re.compile(r"\[(=*)\[")


class ArgumentKind(Enum):
    """How an argument is written; a parenthesis inside of a command is one, too."""

    BARE = "bare"
    QUOTED = "quoted"
    BRACKET = "bracket"
    PAREN = "paren"


@dataclass(frozen=True, slots=True)
class Argument:
    """``text`` is what stands between the quotes; ``start`` and ``end`` are its place."""

    text: str
    start: int
    end: int
    kind: ArgumentKind

    @property
    def outer_start(self) -> int:
        """With the quote."""
        return self.start - (self.kind is ArgumentKind.QUOTED)

    @property
    def outer_end(self) -> int:
        """With the quote."""
        return self.end + (self.kind is ArgumentKind.QUOTED)


@dataclass(frozen=True, slots=True)
class Command:
    """One invocation, from its name to its closing parenthesis."""

    name: str
    start: int
    name_end: int
    end: int
    args: tuple[Argument, ...]

    @property
    def lower(self) -> str:
        """Names of commands are the same in any case."""
        return self.name.lower()

    def words(self) -> tuple[str, ...]:
        """The arguments' texts."""
        return tuple(a.text for a in self.args)


@dataclass(frozen=True, slots=True)
class CMakeText:
    """A whole file."""

    commands: tuple[Command, ...]
    comments: tuple[tuple[int, int], ...]


def parse_cmake(text: str) -> CMakeText:
    """Read a file. Raises ``ValueError``, with the line, for text that is not CMake's."""
    return _Reader(text).file()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.comments: list[tuple[int, int]] = []

    def file(self) -> CMakeText:
        commands: list[Command] = []
        while self._skip():
            name = _NAME.match(self.text, self.at)
            if name is None:
                raise self._fault("a command was expected")
            self.at = name.end()
            while self.text[self.at : self.at + 1] in (" ", "\t"):
                self.at += 1
            if self.text[self.at : self.at + 1] != "(":
                raise self._fault(f"{name.group()} has no parenthesis")
            args = self._arguments()
            commands.append(Command(name.group(), name.start(), name.end(), self.at, args))
        return CMakeText(tuple(commands), tuple(self.comments))

    def _fault(self, what: str) -> ValueError:
        return ValueError(f"line {self.text.count(chr(10), 0, self.at) + 1}: {what}")

    def _skip(self) -> bool:
        """Over blanks and comments; false at the end of the file."""
        text = self.text
        while self.at < len(text):
            if text[self.at].isspace() or text[self.at] == "\ufeff":
                self.at += 1
            elif text[self.at] == "#":
                self._comment()
            elif self.at == 0 and text.startswith("\xef\xbb\xbf"):
                self.at = 3
            else:
                return True
        return False

    def _comment(self) -> None:
        start = self.at
        opening = _BRACKET.match(self.text, start + 1)
        if opening is not None:
            self.at = self._bracket_end(opening)
        else:
            end = self.text.find("\n", start)
            self.at = len(self.text) if end < 0 else end
        self.comments.append((start, self.at))

    def _bracket_end(self, opening: re.Match[str]) -> int:
        closing = f"]{opening.group(1)}]"
        end = self.text.find(closing, opening.end())
        if end < 0:
            raise self._fault("a bracket does not end")
        return end + len(closing)

    def _arguments(self) -> tuple[Argument, ...]:
        args: list[Argument] = []
        depth = 0
        while True:
            if not self._skip():
                raise self._fault("a parenthesis does not end")
            c = self.text[self.at]
            if c in "()":
                depth += 1 if c == "(" else -1
                self.at += 1
                if depth == 0:
                    return tuple(args)
                if depth > 1 or c == ")":
                    args.append(Argument(c, self.at - 1, self.at, ArgumentKind.PAREN))
            elif c == '"':
                args.append(self._quoted())
            elif (opening := _BRACKET.match(self.text, self.at)) is not None:
                start, self.at = self.at, self._bracket_end(opening)
                found = self.text[start : self.at]
                args.append(Argument(found, start, self.at, ArgumentKind.BRACKET))
            else:
                args.append(self._bare())

    def _quoted(self) -> Argument:
        start = self.at + 1
        i = start
        while i < len(self.text) and self.text[i] != '"':
            i += 2 if self.text[i] == "\\" else 1
        if i >= len(self.text):
            raise self._fault("a string does not end")
        self.at = i + 1
        return Argument(self.text[start:i], start, i, ArgumentKind.QUOTED)

    def _bare(self) -> Argument:
        """A bare argument; ``-Da="b c"`` and ``$(VAR)`` are the two legacy forms."""
        start = self.at
        text = self.text
        while self.at < len(text):
            c = text[self.at]
            if c == "\\":
                self.at += 2
            elif c == '"':
                self.at = self._quoted().end + 1
            elif c == "$" and text[self.at + 1 : self.at + 2] == "(":
                end = text.find(")", self.at)
                self.at = len(text) if end < 0 else end + 1
            elif c.isspace() or c in "()#":
                break
            else:
                self.at += 1
        return Argument(text[start : self.at], start, self.at, ArgumentKind.BARE)
