"""CM4xxx: limits of a target."""

from __future__ import annotations

from migrate.core.diagnostics import Code

NO_DOUBLE = Code("CM4001", "target has no double precision in device code")
NO_INTRINSIC = Code("CM4002", "target has no counterpart for this function")
NO_HOST_CALL = Code("CM4003", "host call has no counterpart on this target")
NO_ATOMIC = Code("CM4004", "target has no such atomic operation")
NESTED_TOO_DEEP = Code("CM4005", "blocks are nested deeper than the target takes")
SOFT_DOUBLE = Code("CM4006", "double precision is done by integer arithmetic")
NO_ROOM = Code("CM4007", "what a block keeps does not fit the chip's buffer")
NO_TEXTURE = Code("CM4008", "target has no textures or surfaces")
UNKNOWN_NAME = Code("CM4009", "written code names what the vendor's API does not have")
NO_GRID_BARRIER = Code("CM4010", "target has no barrier over all blocks of a launch")
LAUNCH_LIMIT = Code("CM4011", "launch is over a limit of the target")
HOST_ALGORITHM = Code("CM4012", "algorithm of a library runs on the host")
