"""A typed view of libclang's cursors and types.

This is the only module that names clang's cursor kinds and touches its Python bindings' cursors, so
differences between libclang 18 and 22 end here. Operator kinds and constant evaluation are reached
through the C functions, because the bindings of libclang 18 do not wrap them.

libclang shows implicit nodes as ``UNEXPOSED`` with one child: conversions, materialised
temporaries, substituted template parameters. What they do is told by comparing types.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from clang import cindex

from migrate.frontend.toolchain import STUBS

_STUBS = str(STUBS)


class Form(Enum):
    """What a cursor is, as far as the reader cares."""

    FUNCTION = auto()
    FUNCTION_TEMPLATE = auto()
    METHOD = auto()
    CONSTRUCTOR = auto()
    DESTRUCTOR = auto()
    CONVERSION = auto()
    RECORD = auto()
    CLASS_TEMPLATE = auto()
    UNION = auto()
    ENUM = auto()
    ENUM_CONSTANT = auto()
    FIELD = auto()
    BASE = auto()
    VAR = auto()
    PARAM = auto()
    NAMESPACE = auto()
    LINKAGE = auto()
    TYPE_NAME = auto()
    ATTRIBUTE = auto()
    COMPOUND = auto()
    DECL_STMT = auto()
    IF = auto()
    FOR = auto()
    RANGE_FOR = auto()
    WHILE = auto()
    DO = auto()
    SWITCH = auto()
    CASE = auto()
    DEFAULT = auto()
    BREAK = auto()
    CONTINUE = auto()
    RETURN = auto()
    EMPTY = auto()
    GOTO = auto()
    LABEL = auto()
    ASM = auto()
    TRY = auto()
    OTHER_STMT = auto()
    CALL = auto()
    MEMBER = auto()
    REF = auto()
    INTEGER = auto()
    FLOAT = auto()
    CHARACTER = auto()
    STRING = auto()
    BOOL = auto()
    NULLPTR = auto()
    BINARY = auto()
    COMPOUND_ASSIGN = auto()
    UNARY = auto()
    CONDITIONAL = auto()
    PAREN = auto()
    SUBSCRIPT = auto()
    CAST = auto()
    BIT_CAST = auto()
    INIT_LIST = auto()
    TRAIT = auto()
    THIS = auto()
    LAMBDA = auto()
    NEW = auto()
    DELETE = auto()
    STMT_EXPR = auto()
    COMPOUND_LITERAL = auto()
    PACK = auto()
    UNRESOLVED = auto()
    UNEXPOSED = auto()
    REFERENCE = auto()
    INCLUDE = auto()
    MACRO_USE = auto()
    MACRO_DEFINITION = auto()
    INVALID = auto()
    OTHER = auto()


_FORMS: dict[Form, str] = {
    Form.FUNCTION: "FUNCTION_DECL",
    Form.FUNCTION_TEMPLATE: "FUNCTION_TEMPLATE",
    Form.METHOD: "CXX_METHOD",
    Form.CONSTRUCTOR: "CONSTRUCTOR",
    Form.DESTRUCTOR: "DESTRUCTOR",
    Form.CONVERSION: "CONVERSION_FUNCTION",
    Form.RECORD: "STRUCT_DECL CLASS_DECL",
    Form.CLASS_TEMPLATE: "CLASS_TEMPLATE CLASS_TEMPLATE_PARTIAL_SPECIALIZATION",
    Form.UNION: "UNION_DECL",
    Form.ENUM: "ENUM_DECL",
    Form.ENUM_CONSTANT: "ENUM_CONSTANT_DECL",
    Form.FIELD: "FIELD_DECL",
    Form.BASE: "CXX_BASE_SPECIFIER",
    Form.VAR: "VAR_DECL",
    Form.PARAM: "PARM_DECL",
    Form.NAMESPACE: "NAMESPACE",
    Form.LINKAGE: "LINKAGE_SPEC UNEXPOSED_DECL",
    Form.TYPE_NAME: "TYPEDEF_DECL TYPE_ALIAS_DECL USING_DECLARATION USING_DIRECTIVE"
    " NAMESPACE_ALIAS STATIC_ASSERT TYPE_ALIAS_TEMPLATE_DECL",
    Form.COMPOUND: "COMPOUND_STMT",
    Form.DECL_STMT: "DECL_STMT",
    Form.IF: "IF_STMT",
    Form.FOR: "FOR_STMT",
    Form.RANGE_FOR: "CXX_FOR_RANGE_STMT",
    Form.WHILE: "WHILE_STMT",
    Form.DO: "DO_STMT",
    Form.SWITCH: "SWITCH_STMT",
    Form.CASE: "CASE_STMT",
    Form.DEFAULT: "DEFAULT_STMT",
    Form.BREAK: "BREAK_STMT",
    Form.CONTINUE: "CONTINUE_STMT",
    Form.RETURN: "RETURN_STMT",
    Form.EMPTY: "NULL_STMT",
    Form.GOTO: "GOTO_STMT INDIRECT_GOTO_STMT",
    Form.LABEL: "LABEL_STMT",
    Form.ASM: "ASM_STMT MS_ASM_STMT",
    Form.TRY: "CXX_TRY_STMT CXX_CATCH_STMT",
    Form.OTHER_STMT: "UNEXPOSED_STMT",
    Form.CALL: "CALL_EXPR",
    Form.MEMBER: "MEMBER_REF_EXPR",
    Form.REF: "DECL_REF_EXPR",
    Form.INTEGER: "INTEGER_LITERAL",
    Form.FLOAT: "FLOATING_LITERAL",
    Form.CHARACTER: "CHARACTER_LITERAL",
    Form.STRING: "STRING_LITERAL",
    Form.BOOL: "CXX_BOOL_LITERAL_EXPR",
    Form.NULLPTR: "CXX_NULL_PTR_LITERAL_EXPR GNU_NULL_EXPR",
    Form.BINARY: "BINARY_OPERATOR",
    Form.COMPOUND_ASSIGN: "COMPOUND_ASSIGNMENT_OPERATOR",
    Form.UNARY: "UNARY_OPERATOR",
    Form.CONDITIONAL: "CONDITIONAL_OPERATOR",
    Form.PAREN: "PAREN_EXPR",
    Form.SUBSCRIPT: "ARRAY_SUBSCRIPT_EXPR",
    Form.CAST: "CSTYLE_CAST_EXPR CXX_STATIC_CAST_EXPR CXX_CONST_CAST_EXPR"
    " CXX_FUNCTIONAL_CAST_EXPR CXX_REINTERPRET_CAST_EXPR CXX_ADDRSPACE_CAST_EXPR",
    Form.BIT_CAST: "BUILTIN_BIT_CAST_EXPR",
    Form.INIT_LIST: "INIT_LIST_EXPR",
    Form.TRAIT: "CXX_UNARY_EXPR SIZE_OF_PACK_EXPR CXX_NOEXCEPT_EXPR",
    Form.THIS: "CXX_THIS_EXPR",
    Form.LAMBDA: "LAMBDA_EXPR",
    Form.NEW: "CXX_NEW_EXPR",
    Form.DELETE: "CXX_DELETE_EXPR",
    Form.STMT_EXPR: "StmtExpr",
    Form.COMPOUND_LITERAL: "COMPOUND_LITERAL_EXPR",
    Form.PACK: "PACK_EXPANSION_EXPR",
    Form.UNRESOLVED: "OVERLOADED_DECL_REF",
    Form.UNEXPOSED: "UNEXPOSED_EXPR",
    Form.REFERENCE: "TYPE_REF TEMPLATE_REF NAMESPACE_REF MEMBER_REF LABEL_REF VARIABLE_REF",
    Form.INCLUDE: "INCLUSION_DIRECTIVE",
    Form.MACRO_USE: "MACRO_INSTANTIATION",
    Form.MACRO_DEFINITION: "MACRO_DEFINITION",
    Form.INVALID: "INVALID_FILE NO_DECL_FOUND NOT_IMPLEMENTED INVALID_CODE",
}


def _form_table() -> dict[int, Form]:
    table: dict[int, Form] = {}
    for form, names in _FORMS.items():
        for name in names.split():
            kind = getattr(cindex.CursorKind, name, None)
            if kind is not None:
                table[int(kind.value)] = form
    return table


_FORM_OF = _form_table()
_INVALID_KINDS = range(70, 74)
_CPP_BIT_CAST_KIND = 280  # CXCursor_BuiltinBitCastExpr is not in the bindings of libclang 18

_BINARY_SPELLINGS = (
    ".* ->* * / % + - << >> <=> < > <= >= == != & ^ | && || = *= /= %= += -= <<= >>= &= ^= |= ,"
)
BINARY_OPERATORS: dict[int, str] = dict(enumerate(_BINARY_SPELLINGS.split(), start=1))
"""``CXBinaryOperatorKind`` to its spelling, in clang's order."""

_UNARY_SPELLINGS = "p++ p-- ++ -- & * + - ~ ! real imag extension co_await"
UNARY_OPERATORS: dict[int, str] = dict(enumerate(_UNARY_SPELLINGS.split(), start=1))
"""``CXUnaryOperatorKind`` to its spelling; post-fix forms start with ``p``."""


class TypeForm(Enum):
    """What a canonical type is."""

    VOID = auto()
    SCALAR = auto()
    POINTER = auto()
    LVALUE_REF = auto()
    RVALUE_REF = auto()
    ARRAY = auto()
    UNSIZED_ARRAY = auto()
    RECORD = auto()
    ENUM = auto()
    FUNCTION = auto()
    NULLPTR = auto()
    DEPENDENT = auto()
    OTHER = auto()


_TYPE_FORMS: dict[str, TypeForm] = {
    "VOID": TypeForm.VOID,
    "POINTER": TypeForm.POINTER,
    "LVALUEREFERENCE": TypeForm.LVALUE_REF,
    "RVALUEREFERENCE": TypeForm.RVALUE_REF,
    "CONSTANTARRAY": TypeForm.ARRAY,
    "INCOMPLETEARRAY": TypeForm.UNSIZED_ARRAY,
    "RECORD": TypeForm.RECORD,
    "ENUM": TypeForm.ENUM,
    "FUNCTIONPROTO": TypeForm.FUNCTION,
    "FUNCTIONNOPROTO": TypeForm.FUNCTION,
    "NULLPTR": TypeForm.NULLPTR,
    "DEPENDENT": TypeForm.DEPENDENT,
    "DEPENDENTSIZEDARRAY": TypeForm.DEPENDENT,
}
_SCALARS = frozenset(
    {
        "BOOL", "CHAR_U", "UCHAR", "CHAR16", "CHAR32", "USHORT", "UINT", "ULONG", "ULONGLONG",
        "CHAR_S", "SCHAR", "WCHAR", "SHORT", "INT", "LONG", "LONGLONG", "FLOAT", "DOUBLE",
        "LONGDOUBLE", "INT128", "UINT128", "FLOAT128", "HALF",
    }
)  # fmt: skip


class CType:
    """A clang type; every question is asked of its canonical form."""

    __slots__ = ("_raw", "_type", "form", "name")

    def __init__(self, raw: cindex.Type) -> None:
        self._raw = raw
        self._type = raw.get_canonical()
        self.name: str = str(self._type.kind.name)
        if self.name in _SCALARS:
            self.form = TypeForm.SCALAR
        else:
            self.form = _TYPE_FORMS.get(self.name, TypeForm.OTHER)

    @property
    def spelling(self) -> str:
        """The canonical spelling, with qualifiers."""
        return str(self._type.spelling)

    @property
    def written(self) -> str:
        """The spelling as written (typedef names kept)."""
        return str(self._raw.spelling)

    @property
    def is_const(self) -> bool:
        """Top-level ``const``."""
        return bool(self._type.is_const_qualified())

    @property
    def is_volatile(self) -> bool:
        """Top-level ``volatile``."""
        return bool(self._type.is_volatile_qualified())

    @property
    def is_restrict(self) -> bool:
        """``__restrict__`` on a pointer; looked for on the written type, which canonicalising
        a function's parameter list drops."""
        return bool(self._raw.is_restrict_qualified() or self._type.is_restrict_qualified())

    @property
    def pointee(self) -> CType:
        """What a pointer or reference refers to."""
        return CType(self._type.get_pointee())

    @property
    def element(self) -> CType:
        """An array's element type."""
        return CType(self._type.get_array_element_type())

    @property
    def length(self) -> int:
        """An array's length."""
        return int(self._type.get_array_size())

    @property
    def size(self) -> int:
        """Size in bytes; negative when unknown."""
        return int(self._type.get_size())

    @property
    def align(self) -> int:
        """Alignment in bytes; negative when unknown."""
        return int(self._type.get_align())

    @property
    def result(self) -> CType:
        """A function type's result."""
        return CType(self._type.get_result())

    @property
    def is_reference(self) -> bool:
        """True for both kinds of reference."""
        return self.form in (TypeForm.LVALUE_REF, TypeForm.RVALUE_REF)

    @property
    def declaration(self) -> Cursor:
        """Where a record or enum is declared."""
        return Cursor(self._type.get_declaration())

    @property
    def enum_underlying(self) -> CType:
        """The integer type under an enum."""
        return CType(self._type.get_declaration().enum_type)

    def field_offset_bits(self, field: str) -> int:
        """A member's offset in bits; negative when unknown."""
        return int(self._type.get_offset(field))

    @property
    def fields(self) -> tuple[Cursor, ...]:
        """A record's own members; works for instantiations, whose children libclang hides."""
        return tuple(Cursor(f) for f in self._type.get_fields())

    @property
    def bases(self) -> tuple[Cursor, ...] | None:
        """A record's base specifiers; ``None`` where libclang cannot list them (before 20)."""
        if not hasattr(self._type, "get_bases"):
            return None
        return tuple(Cursor(b) for b in self._type.get_bases())

    def template_arguments(self) -> tuple[str, ...]:
        """Canonical spellings of a record's type arguments (value arguments come back empty)."""
        count = int(self._type.get_num_template_arguments())
        return tuple(
            str(self._type.get_template_argument_type(i).get_canonical().spelling)
            for i in range(max(0, count))
        )


@dataclass(frozen=True, slots=True)
class Extent:
    """A byte range of a file; where macros are involved, of the place where the macro is used."""

    file: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Value:
    """The result of a constant evaluation; exactly one of the two is set."""

    integer: int | None = None
    real: float | None = None


class _Lib:
    """C functions that the bindings leave out, with their signatures."""

    def __init__(self) -> None:
        lib = cindex.conf.lib
        self.binary = self._bind(lib, "clang_getCursorBinaryOperatorKind", ctypes.c_int)
        self.unary = self._bind(lib, "clang_getCursorUnaryOperatorKind", ctypes.c_int)
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


_lib_cache: list[_Lib] = []


def _lib() -> _Lib:
    # Bound on first use: the library file is chosen before, in `toolchain`.
    if not _lib_cache:
        _lib_cache.append(_Lib())
    return _lib_cache[0]


def _file_offset(location: cindex.SourceLocation) -> int:
    out = ctypes.c_uint()
    _lib().file_location(location, None, None, None, ctypes.byref(out))
    return int(out.value)


class Cursor:
    """One node of clang's tree. ``children`` and ``form`` are computed once."""

    __slots__ = ("_children", "_raw", "form")

    def __init__(self, raw: cindex.Cursor) -> None:
        self._raw = raw
        self._children: tuple[Cursor, ...] | None = None
        kind = int(raw._kind_id)
        form = _FORM_OF.get(kind)
        if form is None:
            if kind == _CPP_BIT_CAST_KIND:
                form = Form.BIT_CAST
            elif 400 <= kind < 500:
                form = Form.ATTRIBUTE
            else:
                form = Form.OTHER
        self.form = form

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cursor) and bool(self._raw == other._raw)

    def __hash__(self) -> int:
        return int(self._raw.hash)

    @property
    def raw_kind(self) -> str:
        """Clang's own kind name, for messages only."""
        try:
            return str(self._raw.kind.name).lower()
        except ValueError:
            return f"cursor kind {self._raw._kind_id}"

    @property
    def name(self) -> str:
        """The cursor's spelling."""
        return str(self._raw.spelling)

    @property
    def display(self) -> str:
        """Spelling with template arguments and parameters."""
        return str(self._raw.displayname)

    @property
    def type(self) -> CType:
        """The type of an expression or declaration."""
        return CType(self._raw.type)

    @property
    def children(self) -> tuple[Cursor, ...]:
        """Child cursors in source order."""
        if self._children is None:
            self._children = tuple(Cursor(c) for c in self._raw.get_children())
        return self._children

    @property
    def expressions(self) -> tuple[Cursor, ...]:
        """Children without attributes and references to types and namespaces."""
        return tuple(c for c in self.children if c.form not in (Form.ATTRIBUTE, Form.REFERENCE))

    @property
    def arguments(self) -> tuple[Cursor, ...]:
        """A call's arguments, or a function's parameters."""
        return tuple(Cursor(c) for c in self._raw.get_arguments() if c is not None)

    @property
    def referenced(self) -> Cursor | None:
        """The declaration that a reference or call means."""
        found = self._raw.referenced
        return None if found is None else Cursor(found)

    @property
    def definition(self) -> Cursor | None:
        """The definition of what this declares or refers to, if this unit has one."""
        found = self._raw.get_definition()
        return None if found is None else Cursor(found)

    @property
    def parent(self) -> Cursor | None:
        """The semantic parent: record, namespace or function that owns a declaration."""
        found = self._raw.semantic_parent
        return None if found is None else Cursor(found)

    @property
    def template(self) -> Cursor | None:
        """The template that an instantiation comes from."""
        found = _lib().specialized(self._raw)
        if int(found._kind_id) in _INVALID_KINDS:
            return None
        found._tu = self._raw._tu  # the bindings keep the unit alive through its cursors
        return Cursor(found)

    @property
    def usr(self) -> str:
        """Clang's unique id of a declaration."""
        return str(self._raw.get_usr())

    @property
    def mangled(self) -> str:
        """The Itanium name as clang gives it."""
        return str(self._raw.mangled_name)

    @property
    def result_type(self) -> CType:
        """A function's result type."""
        return CType(self._raw.result_type)

    @property
    def comment(self) -> str:
        """The documentation comment clang attached, raw."""
        return str(self._raw.raw_comment or "")

    @property
    def extent(self) -> Extent:
        """Byte range in the file; text of a macro argument counts where it is written, text of a
        macro's body where the macro is used."""
        extent = self._raw.extent
        file = extent.start.file
        if file is None:
            return Extent("", 0, 0)
        start, end = _file_offset(extent.start), _file_offset(extent.end)
        if end <= start:
            end = int(extent.end.offset)
        return Extent(str(file.name), start, end)

    @property
    def start(self) -> int:
        """First byte of :attr:`extent`."""
        return _file_offset(self._raw.extent.start)

    @property
    def is_expanded(self) -> bool:
        """True when the text comes out of a macro, arguments of macros included."""
        return _file_offset(self._raw.extent.start) != int(self._raw.extent.start.offset) or (
            _file_offset(self._raw.extent.end) != int(self._raw.extent.end.offset)
        )

    @property
    def file(self) -> str:
        """The file of the cursor's location; empty when it has none."""
        file = self._raw.location.file
        return "" if file is None else str(file.name)

    @property
    def offset(self) -> int:
        """Byte offset of the cursor's name."""
        return int(self._raw.location.offset)

    @property
    def operator(self) -> str:
        """The spelling of a unary or binary operator; empty when unknown."""
        if self.form is Form.UNARY:
            return UNARY_OPERATORS.get(int(_lib().unary(self._raw)), "")
        return BINARY_OPERATORS.get(int(_lib().binary(self._raw)), "")

    @property
    def is_definition(self) -> bool:
        """True for a declaration that is the definition."""
        return bool(self._raw.is_definition())

    @property
    def is_static_method(self) -> bool:
        """True for a static member function."""
        return bool(self._raw.is_static_method())

    @property
    def is_default_method(self) -> bool:
        """True for a member function that the compiler writes."""
        return bool(self._raw.is_default_method())

    @property
    def is_bitfield(self) -> bool:
        """True for a bit-field member."""
        return bool(self._raw.is_bitfield())

    @property
    def field_offset_bits(self) -> int:
        """A member's offset in its record, in bits; negative when unknown."""
        return int(self._raw.get_field_offsetof())

    @property
    def is_virtual_base(self) -> bool:
        """True for a virtual base."""
        return bool(self._raw.is_virtual_base())

    @property
    def is_virtual(self) -> bool:
        """True for a virtual member function."""
        return bool(self._raw.is_virtual_method())

    @property
    def in_system_header(self) -> bool:
        """True for what a system directory declares; the CUDA stubs count as such."""
        location = self._raw.location
        if location.is_in_system_header or location.file is None:
            return True
        if self.name.startswith("__builtin_"):
            return True  # clang's own functions stand where they are first used
        return str(location.file.name).startswith(_STUBS)

    @property
    def is_constexpr_value(self) -> bool:
        """True for a variable whose type is const, so that it can have a constant value."""
        return self.form is Form.VAR and self.type.is_const

    @property
    def is_anonymous(self) -> bool:
        """True for a record without a name."""
        return bool(self._raw.is_anonymous())

    @property
    def is_static_storage(self) -> bool:
        """True for a ``static`` variable or member."""
        return str(self._raw.storage_class.name) == "STATIC"

    @property
    def attributes(self) -> frozenset[str]:
        """Names of attributes that clang exposes, such as ``CUDAGLOBAL_ATTR``."""
        return frozenset(str(c._raw.kind.name) for c in self.children if c.form is Form.ATTRIBUTE)

    @property
    def included_file(self) -> str | None:
        """The file that an include line brings in; ``None`` when it was not found."""
        try:
            file = self._raw.get_included_file()
        except AssertionError:
            return None
        return None if file is None else str(file.name)

    @property
    def enum_value(self) -> int:
        """An enum constant's value."""
        return int(self._raw.enum_value)

    def evaluate(self) -> Value | None:
        """The constant value of an expression; ``None`` when it is not a constant."""
        lib = _lib()
        result = lib.evaluate(self._raw)
        if not result:
            return None
        try:
            match int(lib.result_kind(result)):
                case 1:
                    if lib.result_is_unsigned(result):
                        return Value(integer=int(lib.result_unsigned(result)))
                    return Value(integer=int(lib.result_int(result)))
                case 2:
                    return Value(real=float(lib.result_float(result)))
                case _:
                    return None
        finally:
            lib.dispose(result)

    def template_arguments(self) -> tuple[str, ...]:
        """An instantiation's arguments as text: canonical types, decimal values."""
        found: list[str] = []
        for i in range(max(0, int(self._raw.get_num_template_arguments()))):
            kind = str(self._raw.get_template_argument_kind(i).name)
            if kind == "INTEGRAL":
                found.append(str(self._raw.get_template_argument_value(i)))
            elif kind == "TYPE":
                found.append(str(self._raw.get_template_argument_type(i).get_canonical().spelling))
            else:
                found.append(f"<{kind.lower()}>")
        return tuple(found)

    def walk(self) -> Iterator[Cursor]:
        """This cursor and all below it, parents first."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))
