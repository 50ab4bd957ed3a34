"""Functions of libclang's C interface that its Python bindings leave out or changed over time."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from clang import cindex


class Functions:
    """C functions that the bindings leave out, with their signatures."""

    def __init__(self) -> None:
        lib = cindex.conf.lib
        self.binary = self._bind(lib, "clang_getCursorBinaryOperatorKind", ctypes.c_int)
        self.unary = self._bind(lib, "clang_getCursorUnaryOperatorKind", ctypes.c_int)
        self.virtual_base = self._bind(lib, "clang_isVirtualBase", ctypes.c_uint)
        self.evaluate = self._bind(lib, "clang_Cursor_Evaluate", ctypes.c_void_p)
        self.specialized = self._bind(lib, "clang_getSpecializedCursorTemplate", cindex.Cursor)
        void = [ctypes.c_void_p]
        self.result_kind = self._bind(lib, "clang_EvalResult_getKind", ctypes.c_int, void)
        self.result_int = self._bind(lib, "clang_EvalResult_getAsLongLong", ctypes.c_longlong, void)
        self.result_is_unsigned = self._bind(
            lib, "clang_EvalResult_isUnsignedInt", ctypes.c_uint, void
        )
        self.result_unsigned = self._bind(
            lib, "clang_EvalResult_getAsUnsigned", ctypes.c_ulonglong, void
        )
        self.result_float = self._bind(lib, "clang_EvalResult_getAsDouble", ctypes.c_double, void)
        self.dispose = self._bind(lib, "clang_EvalResult_dispose", None, void)
        skipped = [cindex.SourceLocation, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
        self.file_location = self._bind(
            lib, "clang_getFileLocation", None, [*skipped, ctypes.POINTER(ctypes.c_uint)]
        )

    @staticmethod
    def _bind(
        lib: ctypes.CDLL,
        name: str,
        result: type | None,
        args: Sequence[type] | None = None,
    ) -> ctypes._NamedFuncPointer:
        # The prototype is separate from the bindings' own entry, whose signature must stay.
        prototype = ctypes.CFUNCTYPE(result, *(args or [cindex.Cursor]))
        return prototype((name, lib))  # type: ignore[return-value]


_bound: list[Functions] = []


def functions() -> Functions:
    """The functions of the library that is loaded."""
    # Bound on first use: the library file is chosen before, in `toolchain`.
    if not _bound:
        _bound.append(Functions())
    return _bound[0]


def file_offset(location: cindex.SourceLocation) -> int:
    """Byte offset of a location; of a macro argument where it is written, else of the use."""
    out = ctypes.c_uint()
    functions().file_location(location, None, None, None, ctypes.byref(out))
    return int(out.value)
