"""Numbers of SIMT device code; the program compares them with what the host computes."""

from __future__ import annotations

import pytest

from tests.emulation.ascendc_builds import program, run

CHECKS = {
    "affine",
    "reverse",
    "block_sum",
    "three_dimensions",
    "warp_functions",
    "uneven_loop",
    "tiles",
    "histogram",
    "atomics",
    "locked",
    "integers",
    "halves",
}


@pytest.mark.parametrize("threads", ["1", "3"])
def test_all_checks_pass(threads: str) -> None:
    """With one host thread and with several the results are the same."""
    done = run(program("values_950", 3510), ASCENDC_EMU_THREADS=threads)
    assert done.stderr == ""
    assert dict(line.split() for line in done.stdout.splitlines()) == dict.fromkeys(CHECKS, "ok")
    assert done.returncode == 0


def test_checks_fail_when_kernels_are_skipped() -> None:
    """The checks depend on what the kernels do."""
    done = run(program("values_950", 3510), CUDAMIGRATE_SKIP_KERNELS="1")
    assert done.returncode != 0
    assert "ok" not in dict(line.split() for line in done.stdout.splitlines()).values()
