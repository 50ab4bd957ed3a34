"""Errors that clang reported, and which definitions they spoil.

After an error clang goes on with what it understood: it drops a statement, or takes ``int`` for an
unknown type. What it built from a spoilt definition must not be trusted, so such a definition is
refused, and so is everything that mentions a name which a spoilt declaration introduces.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from migrate.core.codes import reading
from migrate.core.diagnostics import Code
from migrate.frontend.toolchain import LIBRARY

_WORD = re.compile(r"[A-Za-z_]\w*")
_EXPLICIT = re.compile(r"explicit instantiation of '.*' does not refer to a function template")
_UNDECLARED = re.compile(r"undeclared|unknown type|expected class name|no (template|type) named")
_PLAIN = frozenset(
    {
        "typedef",
        "using",
        "template",
        "typename",
        "class",
        "struct",
        "union",
        "enum",
        "const",
        "constexpr",
        "static",
        "inline",
        "extern",
        "void",
        "bool",
        "char",
        "short",
        "int",
        "long",
        "float",
        "double",
        "unsigned",
        "signed",
        "auto",
        "namespace",
        "public",
        "private",
        "include",
        "define",
        "if",
        "else",
        "for",
        "while",
        "return",
        "std",
        "size_t",
        "volatile",
        "register",
        "sizeof",
        "T",
        "nullptr",
        "true",
        "false",
        "operator",
        "friend",
        "default",
        "delete",
        "new",
        "__device__",
        "__host__",
        "__global__",
        "__constant__",
        "__shared__",
        "__restrict__",
        "NULL",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ParseError:
    """One error of the parser."""

    file: str
    offset: int
    line: int
    message: str

    @property
    def in_plain_library(self) -> bool:
        """An error in our form of CUDA's libraries.

        Host code of theirs calls functions of the user's that are for the device alone, which
        CUDA's own compiler lets pass. A kernel that reaches such a place is refused there.
        """
        return self.file.startswith(str(LIBRARY))

    @property
    def harmless(self) -> bool:
        """An explicit instantiation of a function for host and device, which names neither.

        CUDA's own compiler takes it. It only asks for code: what is called is instantiated anyway.
        """
        return _EXPLICIT.match(self.message) is not None

    @property
    def missing_header(self) -> str | None:
        """The header's name when the error is that it is missing."""
        found = re.match(r"'([^']+)' file not found", self.message)
        return found.group(1) if found else None

    @property
    def code(self) -> Code:
        """What kind of error it is."""
        if self.missing_header is not None:
            return reading.MISSING_HEADER
        library = re.search(r"'(cub|thrust|cute|cutlass|cuda|nvcuda|curand\w*)'", self.message)
        if library is not None:
            return reading.DEVICE_LIBRARY
        if re.search(r"kernel launch from __device__|reference to __global__", self.message):
            return reading.DYNAMIC_PARALLELISM
        if re.match(r"cannot use '(throw|try)' in", self.message):
            return reading.EXCEPTION
        if re.match(r"no matching 'operator (new|delete)", self.message):
            return reading.DEVICE_ALLOCATION
        if _UNDECLARED.search(self.message):
            return reading.UNKNOWN_NAME
        return reading.SYNTAX_ERROR if "expected" in self.message else reading.ERROR_IN_KERNEL


def words(text: str) -> frozenset[str]:
    """The identifiers in a piece of code, without keywords and common types."""
    return frozenset(_WORD.findall(text)) - _PLAIN
