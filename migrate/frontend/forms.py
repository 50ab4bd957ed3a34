"""Clang's cursor, type and operator kinds under the reader's own names.

This is the only module that names clang's kinds. Names that a version of the bindings lacks are
left out of the tables, so both libclang 18 and 22 serve.
"""

from __future__ import annotations

from enum import Enum, auto

from clang import cindex


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


FORM_OF = _form_table()
"""``CXCursorKind`` to the form."""

INVALID_KINDS = range(70, 74)
BIT_CAST_KIND = 280  # CXCursor_BuiltinBitCastExpr is not in the bindings of libclang 18

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


TYPE_FORMS: dict[str, TypeForm] = {
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
SCALAR_KINDS = frozenset(
    {
        "BOOL", "CHAR_U", "UCHAR", "CHAR16", "CHAR32", "USHORT", "UINT", "ULONG", "ULONGLONG",
        "CHAR_S", "SCHAR", "WCHAR", "SHORT", "INT", "LONG", "LONGLONG", "FLOAT", "DOUBLE",
        "LONGDOUBLE", "INT128", "UINT128", "FLOAT128", "HALF",
    }
)  # fmt: skip
