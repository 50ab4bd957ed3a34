"""CM9xxx: our own faults."""

from __future__ import annotations

from migrate.core.diagnostics import Code

INVALID_IR = Code("CM9001", "a pass produced IR that is not legal")
BACKEND_FAULT = Code("CM9002", "a back end failed on legal IR")
FRONTEND_FAULT = Code("CM9003", "the front end failed on a construct that it should refuse")
PASS_FAULT = Code("CM9004", "a lifting pass failed")
REPLAY_FAULT = Code("CM9005", "proving a program failed")
