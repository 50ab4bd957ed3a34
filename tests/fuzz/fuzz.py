"""Mutates corpus programs for some seconds: ``python tests/fuzz/fuzz.py [SECONDS] [SEED]``.

Files are tried in a child process that says what it does, so that a crash or a hang of it is seen.
A file that shows a fault is kept in the folder that is printed.
"""

from __future__ import annotations

import multiprocessing
import random
import sys
import tempfile
import time
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.fuzz.mutate import mutated
from tests.fuzz.outcome import TARGETS, faults_of

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
HANG_SECONDS = 10.0


def _child(pipe: Connection, cache: Path) -> None:
    while (item := pipe.recv()) is not None:
        path, number = item
        try:
            pipe.send(faults_of(Path(path), cache, TARGETS[number % len(TARGETS)]))
        except Exception as error:
            pipe.send((f"exception: {type(error).__name__}: {error}",))


class Prober:
    """A child process that tries files; it is started again after a crash or a hang.

    ``first`` is a good file: whoever reads it first builds the precompiled header, which takes
    longer than a hang may.
    """

    def __init__(self, cache: Path, first: Path) -> None:
        self._cache = cache
        self._first = first
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_child, args=(other, self._cache), daemon=True)
        self._process.start()
        other.close()
        self._pipe.send((str(self._first), 0))
        self._pipe.recv()

    def probe(self, path: Path, number: int) -> tuple[str, ...]:
        """The faults that a file shows, a crash or a hang among them."""
        try:
            self._pipe.send((str(path), number))
            if self._pipe.poll(HANG_SECONDS):
                return tuple(str(f) for f in self._pipe.recv())
            fault = f"hang: over {HANG_SECONDS:.0f} s"
        except (EOFError, OSError):
            self._process.join(5)
            fault = f"crash: exit status {self._process.exitcode}"
        self.close()
        self._start()
        return (fault,)

    def close(self) -> None:
        """End the child."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


def fuzz(
    seconds: float, seed: int, keep: Path, most: int | None = None
) -> tuple[int, Counter[str]]:
    """Try mutated files; (how many, faults by their first words). Bad files stay in ``keep``."""
    random_ = random.Random(seed)
    sources = [p.read_bytes() for p in sorted(CORPUS.rglob("*.cu"))]
    prober = Prober(keep / "cache", next(iter(sorted(CORPUS.rglob("*.cu")))))
    counts: Counter[str] = Counter()
    number = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end and (most is None or number < most):
        path = keep / f"seed{seed}_{number}.cu"
        path.write_bytes(mutated(random_.choice(sources), random_))
        faults = prober.probe(path, number)
        for fault in faults:
            counts[fault] += 1
            print(f"{path.name}: {fault}", flush=True)
        if not faults:
            path.unlink()
        number += 1
    prober.close()
    return number, counts


def main() -> None:
    """Fuzz from the command line; exit status 1 when a fault was found."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    keep = Path(tempfile.mkdtemp(prefix="cudamigrate-fuzz-"))
    number, counts = fuzz(seconds, seed, keep)
    print(f"{number} files, {sum(counts.values())} faults, seed {seed}, bad files in {keep}")
    sys.exit(1 if counts else 0)


if __name__ == "__main__":
    main()
