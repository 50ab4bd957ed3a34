"""A program with smaller numbers in its host code, for one whose data or time is too much.

Sizes are often written into host functions and not among the arguments. Whole numbers that their
variables start with, products of them and shifted ones, are divided; loops that launch kernels run
once. Nothing else of the program changes, no kernel among it, and a run counts when the program's
own check passes: it checks its results for the sizes that it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from migrate.core.content_store import digest
from migrate.emulation.cuda_program import CudaSources
from migrate.pipeline.host_numbers import Change, Number, changed, host_numbers

_STEPS = ((1000, 64), (64, 64), (1000, 8))
"""Numbers from which on they are divided, and by what."""
_MOST_SINGLE = 8


@dataclass(frozen=True, slots=True)
class SmallerProgram:
    """A program with ``change`` made to its file ``path``; ``sources`` has the changed file."""

    sources: CudaSources
    path: Path
    change: Change

    @property
    def described(self) -> str:
        """Which numbers are smaller, in words."""
        numbers = host_numbers(self.path.read_bytes().decode("latin-1"))
        by = self.change.by
        said = [
            f"{n.text} as 1" if n.repeats else f"{n.text} / {by}"
            for n in (numbers[at] for at in self.change.places)
        ]
        return "with smaller numbers in " + f"{self.path.name}: {', '.join(said)}"


def smaller_programs(sources: CudaSources, folder: Path) -> Iterator[CudaSources]:
    """The program with smaller numbers in `main`, the smallest first; changed files lie in
    ``folder``.

    Nothing where no `main` has such numbers, or where device code stands in it.
    """
    for found in _programs(sources, folder, _of_main):
        yield found.sources


def lighter_programs(sources: CudaSources, folder: Path) -> Iterator[SmallerProgram]:
    """The program with less to do: smaller numbers in any of its host functions, together and one
    by one, and loops that launch kernels run once."""
    yield from _programs(sources, folder, _of_all)


def _of_main(numbers: Sequence[Number]) -> Iterator[Change]:
    for least, by in _STEPS:
        yield _divided(numbers, lambda n: n.function == "main", least, by)


def _of_all(numbers: Sequence[Number]) -> Iterator[Change]:
    yield _divided(numbers, lambda n: n.function == "main", 1000, 64)
    yield _divided(numbers, _any, 1000, 64)
    yield Change(tuple(at for at, n in enumerate(numbers) if n.repeats and n.launches), 1)
    yield _divided(numbers, _any, 64, 64)
    single = [at for at, n in enumerate(numbers) if not n.repeats and n.value >= 64]
    for at in single[:_MOST_SINGLE]:
        yield Change((at,), 64)
    yield _divided(numbers, _any, 1000, 512)


def _any(_: Number) -> bool:
    return True


def _divided(
    numbers: Sequence[Number], wanted: Callable[[Number], bool], least: int, by: int
) -> Change:
    least = max(least, by)
    chosen = (
        at for at, n in enumerate(numbers) if wanted(n) and not n.repeats and n.value >= least
    )
    return Change(tuple(chosen), by)


def _programs(
    sources: CudaSources,
    folder: Path,
    changes: Callable[[Sequence[Number]], Iterator[Change]],
) -> Iterator[SmallerProgram]:
    for path in sources.sources:
        text = path.read_bytes().decode("latin-1")
        seen = {text}
        for change in changes(host_numbers(text)):
            smaller = changed(text, change)
            if smaller not in seen:
                seen.add(smaller)
                yield SmallerProgram(_with(sources, path, smaller, folder), path, change)


def _with(sources: CudaSources, path: Path, text: str, folder: Path) -> CudaSources:
    data = text.encode("latin-1")
    # Named by its content, so that its runs are found again.
    place = folder / digest(str(path.absolute()).encode(), data) / path.name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    return replace(
        sources,
        sources=tuple(place if p == path else p for p in sources.sources),
        include_dirs=(path.parent, *sources.include_dirs),
        fissioned="",
    )
