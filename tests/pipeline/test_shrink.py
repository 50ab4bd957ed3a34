"""A failing launch gets small, stands by itself, and passes once the fault is gone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from migrate.cli.app import app
from migrate.core.codes import usage
from migrate.core.diagnostics import UserError
from migrate.verify.capture import load_capture
from migrate.verify.shrink import filled_bytes, zeroed

SOURCE = Path(__file__).resolve().parents[1] / "emulation/cuda_programs/variants.cu"
RIGHT, WRONG = "y[i] = a * x[i];", "y[i] = a * x[i == 17 ? 16 : i];"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("shrink") / "out"
    command = ["convert", str(SOURCE), "--to", "ascend", "--chip", "ascend950", "-o", str(out)]
    assert CliRunner().invoke(app, [*command, "--fuzz", "0"]).exit_code == 0
    return out


def _verify(tree: Path, *words: str) -> tuple[int, str]:
    found = CliRunner().invoke(app, ["verify", str(tree), *words])
    return found.exit_code, found.output


def test_shrink_finds_the_element(tree: Path) -> None:
    code = tree / "variants.asc"
    text = code.read_text()
    assert text.count(RIGHT) == 1
    code.write_text(text.replace(RIGHT, WRONG))
    small = tree.parent / "small"
    status, shown = _verify(tree, "--shrink", str(small), "--fuzz", "0")
    assert status == 1, shown
    capture = load_capture(small / "variants.scale")
    (launch,) = capture.launches
    assert launch.grid == (1, 1, 1)
    x = np.frombuffer(capture.blob(launch.buffers[0].before), np.float32)
    # What the failure needs is left: the two elements that are mistaken for each other, at most
    # with some beside them.
    assert x[16] != x[17]
    assert np.count_nonzero(x) <= 8
    assert int.from_bytes(launch.args[0].data, "little") == 18  # one less hides element 17
    status, shown = _verify(tree, "--capture", str(small / "variants.scale"))
    assert status == 1
    assert "different" in shown
    code.write_text(text)
    status, shown = _verify(tree, "--capture", str(small / "variants.scale"))
    assert status == 0
    assert "equal-captured" in shown


def test_nothing_to_shrink(tree: Path, tmp_path: Path) -> None:
    status, shown = _verify(tree, "--shrink", str(tmp_path / "none"), "--fuzz", "0")
    assert (status, "nothing to shrink" in shown) == (0, True)
    assert not (tmp_path / "none").exists()


def test_a_directory_without_capture_is_a_diagnostic(tree: Path, tmp_path: Path) -> None:
    found = CliRunner().invoke(app, ["verify", str(tree), "--capture", str(tmp_path)])
    assert isinstance(found.exception, UserError)
    assert found.exception.diagnostic.code is usage.MISSING_INPUT


def test_self_runs_every_launch_again(tree: Path) -> None:
    status, shown = _verify(tree, "--self")
    rows = {line.split()[1]: line for line in shown.splitlines() if line.startswith(" variants")}
    assert status == 0
    assert rows["scale"].split()[3:] == ["exact", "exact"]
    assert "float atomics" in rows["sum"]
    assert "differ" in rows["last_one"]


def test_zeros_go_into_parts_of_what_is_there() -> None:
    content = bytes(16) + b"\1" * 64 + bytes(16)
    tried = zeroed(((5, content), (6, bytes(8))))
    left = [filled_bytes(dict(c)[5]) for c in tried]
    assert left[0] == 0
    assert min(left[1:]) < 64
    assert all(dict(c)[6] == bytes(8) for c in tried)
    assert len({dict(c)[5] for c in tried}) == len(tried)
    assert not zeroed(((1, bytes(64)),))
    assert not zeroed(((1, b"\1" * (2 << 20)),))
