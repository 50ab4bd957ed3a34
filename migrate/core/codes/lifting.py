"""CM3xxx: lifting from threads to tiles."""

from __future__ import annotations

from migrate.core.diagnostics import Code

HAS_BARRIER = Code("CM3001", "kernel synchronises the threads of a block")
HAS_WARP_OPERATION = Code("CM3002", "kernel exchanges values inside a warp")
HAS_SHARED_MEMORY = Code("CM3003", "kernel uses shared memory")
RECURSIVE_FUNCTION = Code("CM3004", "device function calls itself")
