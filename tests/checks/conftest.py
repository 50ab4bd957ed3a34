"""Fixtures for the tests of the checks."""

from __future__ import annotations

import pytest

from tests.checks.check_builds import CheckBuild, build


@pytest.fixture(scope="session")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> CheckBuild:
    """The seeded faults and their twins."""
    return build("seeded", tmp_path_factory.mktemp("seeded"))
