"""CM2xxx: facts about kernels."""

from __future__ import annotations

from migrate.core.diagnostics import Code

NOT_AFFINE = Code("CM2001", "index is not an affine form of the thread index")
IDIOM_CONSTANT = Code("CM2002", "constant is not the one of the idiom")
IDIOM_BOUNDS = Code("CM2003", "bounds are not constants in rising order")
THREADS_MEET = Code("CM2011", "thread can read what another thread writes")
