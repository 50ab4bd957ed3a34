"""CM1xxx: reading CUDA."""

from __future__ import annotations

from migrate.core.diagnostics import Code

SYNTAX_ERROR = Code("CM1001", "source has a syntax error")
MISSING_HEADER = Code("CM1002", "header is not found")
KERNEL_UNREAD = Code("CM1003", "kernel was not seen by the parser")
UNKNOWN_NAME = Code("CM1004", "name is not declared")
