"""CM6xxx: build files."""

from __future__ import annotations

from migrate.core.diagnostics import Code

NOT_UNDERSTOOD = Code("CM6001", "part of a build file is not understood")
FLAG_LEFT_OUT = Code("CM6002", "compiler flag has no counterpart on this target")
LIBRARY_REPLACED = Code("CM6003", "library is replaced by one with other functions")
SOURCE_NOT_CONVERTED = Code("CM6004", "build file names a CUDA source that was not converted")
NOT_GUARDED = Code("CM6006", "file does not hold both platforms")
UNREADABLE_BUILD_FILE = Code("CM6005", "build file cannot be read")
