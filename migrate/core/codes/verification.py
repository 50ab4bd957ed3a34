"""CM5xxx: building, running and comparing."""

from __future__ import annotations

from migrate.core.diagnostics import Code

ORIGINAL_DOES_NOT_COMPILE = Code("CM5001", "original program does not compile on the CPU")
ORIGINAL_FAILS = Code("CM5002", "original program fails on the CPU")
RUN_TIMED_OUT = Code("CM5003", "program ran past its time limit")
RUN_CRASHED = Code("CM5004", "program crashed")
GENERATED_DOES_NOT_COMPILE = Code("CM5005", "generated code does not compile")
NUMBERS_DIFFER = Code("CM5006", "numbers differ from the original")
NOT_LAUNCHED = Code("CM5007", "kernel was not launched, so there is nothing to compare")
NOTHING_WRITTEN = Code("CM5008", "captured launches changed no memory, so nothing was proven")
NOT_REPLAYABLE = Code("CM5009", "captured launch cannot be replayed")
CONTROL_PASSED = Code("CM5010", "program passes its own check without its kernels")
MIGRATED_CHECK_FAILED = Code("CM5011", "migrated program fails its own check")
MIGRATED_DOES_NOT_BUILD = Code("CM5012", "migrated program does not compile")
STORED_RUN_DAMAGED = Code("CM5013", "stored run of the original cannot be read")
ORDER_DEPENDENT = Code("CM5014", "result of the original depends on the order of its threads")
FISSION_DIFFERS = Code("CM5015", "kernel leaves other memory when its threads run as loops")
OTHER_INSTANCE = Code("CM5016", "kernel was compared on launches of another instance")
READS_UNWRITTEN = Code("CM5017", "result of the original depends on memory that nobody wrote")
OTHER_ARGUMENTS = Code("CM5018", "kernel was compared on launches of another run of the program")
PTX_NOT_EMULATED = Code("CM5020", "inline PTX that the CPU runtime cannot run was reached")
