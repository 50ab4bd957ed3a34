"""CM0xxx: command line, files and toolchain."""

from __future__ import annotations

from migrate.core.diagnostics import Code

MISSING_INPUT = Code("CM0001", "input does not exist")
EMPTY_INPUT = Code("CM0002", "input file is empty")
BINARY_INPUT = Code("CM0003", "input file is binary")
UNKNOWN_TARGET = Code("CM0004", "target is unknown")
UNKNOWN_CHIP = Code("CM0005", "chip is unknown for this target")
OUTPUT_EXISTS = Code("CM0006", "output exists already")
OUTPUT_UNWRITABLE = Code("CM0007", "output cannot be written")
NO_CUDA_INPUT = Code("CM0008", "no CUDA source found in the input")
UNKNOWN_CODE = Code("CM0009", "diagnostic code is unknown")
UNREADABLE_REPORT = Code("CM0010", "report cannot be read")
UNREADABLE_INPUT = Code("CM0011", "input cannot be read")
OPTION_NOT_FOR_TARGET = Code("CM0012", "option does not fit the target")
BAD_CONFIGURATION = Code("CM0013", "configuration is not valid")
UNKNOWN_KERNEL = Code("CM0014", "source has no such kernel")
BAD_RULE_FILE = Code("CM0020", "rule file is not valid")
NO_CXX_COMPILER = Code("CM0030", "no C++ compiler found")
NO_TILELANG = Code("CM0031", "TileLang is not installed")
NO_GPU = Code("CM0032", "GPU oracle is not there")
GATE_FAILED = Code("CM0040", "conversion is below the gate")

FLAG_UNKNOWN = Code("CM0050", "compiler flag is not known")
BAD_COMPILE_COMMANDS = Code("CM0051", "compile commands cannot be read")
FLAG_CHANGES_NUMBERS = Code("CM0052", "compiler flag changes numbers")
FILE_NOT_CONVERTED = Code("CM0053", "file is copied and not converted")
SHARED_FILE_DIFFERS = Code("CM0054", "shared file comes out differently for two programs")
NOT_MERGED = Code("CM0055", "configurations cannot be merged")
