"""CM52xx: what ``cudamigrate run`` finds in the program itself (docs/checks.md)."""

from __future__ import annotations

from migrate.core.diagnostics import Code

GLOBAL_BOUNDS = Code("CM5201", "access outside an allocation")
SHARED_BOUNDS = Code("CM5202", "access outside an array in shared memory")
ARRAY_INDEX = Code("CM5203", "index outside an array")
MISALIGNED = Code("CM5204", "access through a misaligned pointer")
USE_AFTER_FREE = Code("CM5205", "access to memory that was freed")
HOST_ON_DEVICE = Code("CM5206", "kernel uses memory of the host")
DEVICE_ON_HOST = Code("CM5207", "host code uses memory of the device")
WILD_POINTER = Code("CM5208", "kernel uses an address that belongs to nothing")
COPY_RANGE = Code("CM5209", "copy or fill leaves its allocation")
RACE_IN_BLOCK = Code("CM5211", "data race between threads of a block")
RACE_ACROSS_BLOCKS = Code("CM5212", "data race between blocks")
RACE_SAME_VALUE = Code("CM5213", "threads store the same value in no order")
RACE_BESIDE_ATOMIC = Code("CM5214", "plain access beside an atomic one")
BARRIER_DIVERGENT = Code("CM5215", "threads of a block meet at different barriers")
BARRIER_PARTIAL = Code("CM5216", "barrier reached by a part of the block")
BARRIER_DEADLOCK = Code("CM5217", "threads wait for ever")
WRONG_MASK = Code("CM5218", "mask of a warp operation lacks the calling lane")
STREAM_ORDER = Code("CM5219", "work in two streams uses the same memory in no order")
UNWRITTEN_GLOBAL = Code("CM5221", "read of device memory that was never written")
UNWRITTEN_SHARED = Code("CM5222", "read of shared memory that was never written")
UNWRITTEN_COPY = Code("CM5223", "memory that was never written is copied to the host")
LEAK = Code("CM5231", "device memory is not freed")
DOUBLE_FREE = Code("CM5232", "memory is freed twice")
BAD_FREE = Code("CM5233", "free of a pointer that is no allocation")
CHECKS_UNAVAILABLE = Code("CM5241", "checks cannot be built with this compiler")

# Limits of the sandbox that ended a run.
RUN_MEMORY = Code("CM5251", "program used more memory than it may")
RUN_OUTPUT = Code("CM5252", "program printed more than it may")
RUN_PROCESSES = Code("CM5253", "program started more processes than it may")
RUN_FILES = Code("CM5254", "program wrote more files than it may")
