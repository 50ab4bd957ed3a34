"""Writes an output tree as a whole or not at all.

Files go to a staging directory beside the target, which then takes the target's name. An existing
target is left alone without ``force``; with it, the old tree is removed only after the new one
is complete.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path, PurePosixPath

from migrate.core.artifact import GeneratedFile
from migrate.core.codes import usage
from migrate.core.diagnostics import Diagnostic, Outcome, UserError


def _stop(cause: str) -> UserError:
    return UserError(Diagnostic(usage.OUTPUT_UNWRITABLE, Outcome.STOPPED, cause))


def check_output(target: Path, *, force: bool) -> None:
    """Fail early, before any work: CM0006 when ``target`` exists, CM0007 when it cannot be made."""
    if target.exists() and not force and not _is_empty_dir(target):
        raise UserError(
            Diagnostic(
                usage.OUTPUT_EXISTS, Outcome.STOPPED, f"{target} exists; --force replaces it"
            )
        )
    if target.exists() and not target.is_dir():
        raise _stop(f"{target} is a file, not a directory")
    if target.exists() and force and not _is_ours(target) and not _is_empty_dir(target):
        raise _stop(f"{target} has no report.json of an earlier run; it is not removed")
    parent = _existing_parent(target)
    if not parent.is_dir():
        raise _stop(f"{parent} is not a directory")
    try:
        probe = tempfile.mkdtemp(prefix=".cudamigrate-", dir=parent)
    except OSError as error:
        raise _stop(f"{parent}: {error.strerror}") from error
    Path(probe).rmdir()


def _is_empty_dir(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


def _is_ours(path: Path) -> bool:
    return (path / "report.json").is_file()


def _existing_parent(target: Path) -> Path:
    parent = target.absolute().parent
    while not parent.exists():
        parent = parent.parent
    return parent


Copies = tuple[tuple[PurePosixPath, Path], ...]
"""Places below the target, and the files whose bytes go there."""


def write_tree(
    target: Path, files: tuple[GeneratedFile, ...], *, force: bool, copies: Copies = ()
) -> None:
    """Write and copy all files below ``target``. Raises :class:`UserError` CM0006 or CM0007."""
    check_output(target, force=force)
    try:
        target.absolute().parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=".cudamigrate-", dir=target.absolute().parent))
    except OSError as error:
        raise _stop(f"{target}: {error.strerror}") from error
    try:
        for item in files:
            path = staging / item.path
            _check_inside(staging, item.path)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(item.content)
            if item.content.startswith(b"#!"):
                path.chmod(0o755)
        for place, source in copies:
            _check_inside(staging, place)
            (staging / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, staging / place)
        staging.chmod(0o755)
        if target.exists():
            old = Path(tempfile.mkdtemp(prefix=".cudamigrate-old-", dir=target.absolute().parent))
            target.rename(old / "tree")
            staging.rename(target)
            shutil.rmtree(old, ignore_errors=True)
        else:
            staging.rename(target)
    except OSError as error:
        raise _stop(f"{target}: {error.strerror}") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _check_inside(staging: Path, place: PurePosixPath) -> None:
    if not (staging / place).resolve().is_relative_to(staging.resolve()):
        raise _stop(f"{place} leaves the output directory")
