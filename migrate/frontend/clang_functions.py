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

        self.visit = self._bind(
            lib, "clang_visitChildren", ctypes.c_uint, [cindex.Cursor, _VISITOR, ctypes.py_object]
        )
        _spare_null_tests()

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


def _spare_null_tests() -> None:
    """Every method of the bindings' cursors asks first whether the cursor is null, by a call into
    the library: a sixth of the front end's time. The kind tells it too, since libclang makes a null
    cursor of the kind ``InvalidFile`` and no other one (``clang_getNullCursor``).
    """
    if hasattr(cindex.Cursor, "is_null"):
        null_kind = int(cindex.conf.null_cursor._kind_id)
        cindex.Cursor.is_null = lambda self: self._kind_id == null_kind


def _collect(child: cindex.Cursor, _parent: cindex.Cursor, found: list[cindex.Cursor]) -> int:
    found.append(child)
    return 1  # CXChildVisit_Continue


_VISITOR = ctypes.CFUNCTYPE(ctypes.c_int, cindex.Cursor, cindex.Cursor, ctypes.py_object)
_COLLECTOR = _VISITOR(_collect)


_FRAMES_OF_A_CALL = 24


def _need_frames(n: int) -> None:
    """Raises ``RecursionError`` here unless ``n`` more calls fit on the stack."""
    if n:
        _need_frames(n - 1)


def children(raw: cindex.Cursor) -> list[cindex.Cursor]:
    """The children of a cursor. Raises ``RecursionError`` where the stack has little room left:
    ctypes would make an ``ArgumentError`` of it in the next call, and a callback that cannot be
    entered gives 0, which leaves children out without a word.
    """
    _need_frames(_FRAMES_OF_A_CALL)
    found: list[cindex.Cursor] = []
    functions().visit(raw, _COLLECTOR, found)
    for child in found:
        child._tu = raw._tu  # the bindings keep the unit alive through its cursors
    return found


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
