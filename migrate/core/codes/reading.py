"""CM1xxx: reading CUDA."""

from __future__ import annotations

from migrate.core.diagnostics import Code

SYNTAX_ERROR = Code("CM1001", "source has a syntax error")
MISSING_HEADER = Code("CM1002", "header is not found")
KERNEL_UNREAD = Code("CM1003", "kernel was not seen by the parser")
UNKNOWN_NAME = Code("CM1004", "name is not declared")
ERROR_IN_KERNEL = Code("CM1005", "kernel does not compile")
NEVER_INSTANTIATED = Code("CM1006", "kernel template is never instantiated")
NO_DEFINITION = Code("CM1007", "device function has no definition in this unit")
PARSER_GAVE_UP = Code("CM1008", "parser could not read the file")
LAUNCH_UNRESOLVED = Code("CM1009", "launch does not name a known kernel")
BRANCH_NOT_READ = Code("CM1030", "preprocessor branch was not read")
MACRO_EDITED = Code("CM1031", "macro body was edited")
LIBRARY_BY_NAME = Code("CM1032", "library header is known by name only")
LAUNCH_UNREAD = Code("CM1033", "launch was not seen by the parser")
TOO_DEEP = Code("CM1034", "code nests too deeply")
HOST_CONSTRUCT = Code("CM1035", "host function of an extension was not translated")

RANGE_FOR = Code("CM1101", "range-based for in device code")
LAMBDA = Code("CM1102", "lambda in device code")
GOTO = Code("CM1103", "goto in device code")
FUNCTION_POINTER = Code("CM1104", "call through a function pointer in device code")
VIRTUAL_CALL = Code("CM1105", "virtual function in device code")
EXCEPTION = Code("CM1106", "exception in device code")
INLINE_ASSEMBLY = Code("CM1107", "inline assembly in device code")
RECURSION = Code("CM1108", "recursive device function")
DEVICE_ALLOCATION = Code("CM1109", "dynamic allocation in device code")
UNREADABLE_EXPRESSION = Code("CM1110", "expression has no counterpart in the IR")
UNREADABLE_STATEMENT = Code("CM1111", "statement has no counterpart in the IR")
DEPENDENT_CODE = Code("CM1112", "code depends on an unknown template argument")
UNREADABLE_TYPE = Code("CM1113", "type has no counterpart in the IR")
BIT_FIELD = Code("CM1114", "bit-field in device code")
STATIC_LOCAL = Code("CM1115", "static local variable in device code")
VARIADIC_FUNCTION = Code("CM1116", "variadic device function")
UNION_ACCESS = Code("CM1117", "struct layout is not readable")
LOOP_HEADER = Code("CM1118", "loop header is not readable")
CONSTRUCTOR = Code("CM1119", "constructor is not readable")
DESTRUCTOR = Code("CM1120", "destructor in device code")
STRUCTURED_BINDING = Code("CM1121", "structured binding in device code")

COOPERATIVE_GROUPS = Code("CM1201", "cooperative groups")
WARP_MATRIX = Code("CM1202", "warp matrix operation")
DYNAMIC_PARALLELISM = Code("CM1203", "kernel launch from device code")
MATCH_ALL = Code("CM1204", "warp match with a predicate output")

VOLATILE_MEMORY = Code("CM1301", "volatile memory access")
TEXTURE = Code("CM1302", "texture or surface access")
DEVICE_VARIABLE_INITIALISER = Code("CM1303", "initialiser of a device variable is not constant")

ATOMIC_FORM = Code("CM1401", "atomic operation in a form without counterpart")

STANDARD_LIBRARY = Code("CM1501", "standard library function in device code")
UNKNOWN_INTRINSIC = Code("CM1502", "CUDA function without counterpart in the IR")
DEVICE_LIBRARY = Code("CM1503", "device library without its header")
