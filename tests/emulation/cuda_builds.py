"""Builds the test programs once a session; a fixture hands them out by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from migrate.core.options import Limits
from migrate.emulation.cuda_program import (
    BuiltProgram,
    CudaSources,
    RunSetup,
    build_cuda_program,
    run_program,
)
from migrate.emulation.run import RunResult
from migrate.emulation.toolchain import find_compiler

PROGRAMS = Path(__file__).parent / "cuda_programs"
CACHE = Path(__file__).parents[2] / "build" / "cache"
"""Shared by all tests: the runtime itself is compiled once."""


@dataclass(slots=True)
class CudaBuilds:
    """Programs below ``work``, each compiled at its first use."""

    work: Path
    built: dict[str, BuiltProgram] = field(default_factory=dict)
    results: dict[tuple[str, ...], RunResult] = field(default_factory=dict)

    def __call__(self, name: str, *flags: str) -> BuiltProgram:
        key = " ".join((name, *flags))
        if key not in self.built:
            sources = CudaSources((PROGRAMS / f"{name}.cu",), flags=flags)
            place = self.work / f"program{len(self.built)}"
            place.mkdir(parents=True)
            self.built[key] = build_cuda_program(sources, place, find_compiler(), CACHE)
        return self.built[key]

    def run(self, name: str, *args: str, seconds: float = 20.0, **environment: str) -> RunResult:
        """One run under a time limit, with the given environment variables."""
        return self._run(name, args, seconds, environment)

    def _run(
        self, name: str, args: tuple[str, ...], seconds: float, environment: dict[str, str]
    ) -> RunResult:
        limits = Limits(seconds=seconds)
        # Some programs write what they computed to a folder beside.
        places = (self.work.parent,)
        setup = RunSetup(args, limits, tuple(environment.items()), writable=places)
        return run_program(self(name), setup)

    def run_once(self, name: str, *args: str, **environment: str) -> RunResult:
        """The result of a run whose outcome does not change, from the first time it was asked."""
        key = (name, *args, *(f"{k}={v}" for k, v in environment.items()))
        if key not in self.results:
            self.results[key] = self._run(name, args, 20.0, environment)
        return self.results[key]


def values(text: str) -> dict[str, tuple[str, ...]]:
    """Lines of the form ``name value value`` as a mapping."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    return {words[0]: tuple(words[1:]) for words in lines}
