"""Existing Ascend C projects, built unchanged for the CPU and run: a check of our own runtime.

A project is a folder whose ``CMakeLists.txt`` asks for the vendor's package ``ASC``. It is
configured and built with its own build file, against the stand-ins of ``templates/cpu-build``. Its
programs run where they were built; ``scripts/gen_data.py`` makes their input and
``scripts/verify_result.py`` compares their output, as the vendor's examples are laid out.
Everything, scripts included, runs in the sandbox.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import migrate
from migrate.core.options import Limits
from migrate.emulation.run import RunResult, run_command
from migrate.pipeline.ascend_layout import (
    Case,
    Executable,
    arguments_in_readme,
    ask_for_targets,
    cases_of,
    executables_of,
    find_projects,
)
from migrate.pipeline.build_files import CPU_BUILD, cpu_build
from migrate.pipeline.oracle import SKIP_KERNELS
from migrate.pipeline.own_check import Words, classify_run
from migrate.pipeline.run import Listener, Progress, silent

_ZERO_MEMORY = ("CUDAMIGRATE_FRESH_MEMORY", "zero")
_CONFIGURED_SECONDS = 300.0
_GENERATE, _VERIFY = "gen_data.py", "verify_result.py"
_VERIFY_ARGUMENTS = ("output/output.bin", "output/golden.bin")


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One run of one program.

    ``case`` names the compile-time case and the arguments, empty for a program with one run.
    ``check`` is ``pass``, ``fail``, ``no-check``, ``error`` or ``not-compiled``, ``control`` that
    of the run without kernels. ``zeroed`` is ``check`` with fresh device memory filled with zeros,
    run only where the program did not pass. ``seconds`` is wall time; ``cause`` one line.
    """

    case: str
    check: str
    control: str = "not-run"
    zeroed: str = "not-run"
    seconds: float = 0.0
    cause: str = ""

    @property
    def self_checked(self) -> bool:
        """It says how it went; what does not compile or does not end counts as if it would.

        A run without kernels that ends well and says nothing belongs to a program without a check.
        """
        return self.control != "no-check" or self.check not in ("no-check", "error")

    @property
    def passed(self) -> bool:
        """Its own check holds; where it says nothing, it would have."""
        return self.check == "pass" or (self.check == "no-check" and self.noticed)

    @property
    def noticed(self) -> bool:
        """Its check fails when the kernels are skipped."""
        return self.control in ("fail", "error")

    @property
    def blind(self) -> bool:
        """Its own check holds even when the kernels are skipped."""
        return self.check == "pass" and not self.noticed


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """A program (the executable of a project that is made from these sources), all its runs."""

    program: str
    cases: tuple[CaseResult, ...]

    @property
    def compiled(self) -> bool:
        """Every case compiles."""
        return all(c.check != "not-compiled" for c in self.cases)

    @property
    def self_checked(self) -> bool:
        """Some run checks its results."""
        return any(c.self_checked for c in self.cases)

    @property
    def passed(self) -> bool:
        """Every run that checks its results passes, and one of them notices skipped kernels.

        Some cases have kernels that do nothing, to time launches; no check could notice those.
        """
        checked = [c for c in self.cases if c.self_checked]
        return all(c.passed for c in checked) and any(c.noticed for c in checked)


@dataclass(frozen=True, slots=True)
class _Settings:
    limits: Limits
    build: Limits
    environment: tuple[tuple[str, str], ...]
    every_case: bool


def run_projects(
    roots: Iterable[Path],
    scratch: Path,
    limits: Limits,
    listener: Listener = silent,
    *,
    only: frozenset[str] = frozenset(),
    every_case: bool = False,
) -> tuple[ProgramResult, ...]:
    """Build and run the projects below ``roots``, one after the other.

    With ``only`` those whose folder, relative to its root, has one of them for a part. With
    ``every_case`` each compile-time case that a build file names is built, else its default.
    """
    stand_ins = scratch / "stand-ins"
    for file in cpu_build():
        place = stand_ins / file.path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.content)
        place.chmod(0o755)
    package = str(Path(migrate.__file__).resolve().parents[1])
    environment = (
        ("CUDAMIGRATE_PYTHON", sys.executable),
        ("PYTHONPATH", package),
        ("ASC_DIR", str(stand_ins / CPU_BUILD)),  # where find_package(ASC) looks
    )
    build = replace(limits, seconds=_CONFIGURED_SECONDS)
    settings = _Settings(limits, build, environment, every_case)
    found: list[ProgramResult] = []
    number = 0
    for root in (given.resolve() for given in roots):
        for project in find_projects(root):
            name = project.relative_to(root).as_posix() if project != root else root.name
            if only and not any(f"/{o}/" in f"/{name}/" for o in only):
                continue
            listener(Progress(name, "build and run"))
            number += 1
            found += _project(name, project, scratch / str(number), settings)
            listener(Progress(name, "done"))
    return tuple(found)


def _project(
    name: str, project: Path, work: Path, settings: _Settings
) -> tuple[ProgramResult, ...]:
    rows: dict[str, list[CaseResult]] = {}
    for number, case in enumerate(cases_of(project, every_case=settings.every_case)):
        folder = work / str(number)
        folder.mkdir(parents=True)
        for program, result in _case(name, project, case, folder, settings):
            rows.setdefault(program, []).append(result)
    return tuple(ProgramResult(p, tuple(results)) for p, results in sorted(rows.items()))


def _case(
    name: str, project: Path, case: Case, folder: Path, settings: _Settings
) -> list[tuple[str, CaseResult]]:
    ask_for_targets(folder)
    configure = ["cmake", "-S", str(project), "-B", str(folder), *case.definitions]
    configured = _run(configure, folder, settings.build, settings)
    if not configured.ok:
        failed = CaseResult(case.label, "not-compiled", cause=_first_error(configured))
        return [(name, failed)]
    rows: list[tuple[str, CaseResult]] = []
    targets = executables_of(folder)
    if not targets:  # a library, which nothing here can run
        built = _run(["cmake", "--build", str(folder)], folder, settings.build, settings)
        cause = "" if built.ok else _first_error(built)
        check = "no-check" if built.ok else "not-compiled"
        control = "no-check" if built.ok else "not-run"
        return [(name, CaseResult(case.label, check, control, cause=cause))]
    for target in targets:
        program = f"{name}/{target.source}"
        command = ["cmake", "--build", str(folder), "--target", target.name]
        built = _run(command, folder, settings.build, settings)
        if not built.ok:
            failed = CaseResult(case.label, "not-compiled", cause=_first_error(built))
            rows.append((program, failed))
            continue
        for arguments in arguments_in_readme(project, target.name):
            label = ", ".join(x for x in (case.label, " ".join(arguments)) if x)
            result = _observe(project, target, arguments, folder, settings)
            rows.append((program, replace(result, case=label)))
    return rows


def _observe(
    project: Path, target: Executable, arguments: tuple[str, ...], folder: Path, settings: _Settings
) -> CaseResult:
    command = [str(folder / target.artifact), *arguments]
    scripted = (project / "scripts" / _VERIFY).is_file()
    words = Words.STATUS if scripted else Words.PRINTED  # the script says how it went by its status
    first = _checked(project, command, folder, settings)
    check = classify_run(first, words)
    skipping = replace(settings, environment=(*settings.environment, SKIP_KERNELS))
    control = classify_run(_checked(project, command, folder, skipping), words)
    if control in ("pass", "no-check"):  # a comparison may be blind to the NaN of unwritten memory
        zeros = replace(skipping, environment=(*skipping.environment, _ZERO_MEMORY))
        control = classify_run(_checked(project, command, folder, zeros), words)
    result = CaseResult("", check, control, seconds=first.seconds, cause=_cause(first))
    if check in ("pass", "no-check"):
        return result
    zeroing = replace(settings, environment=(*settings.environment, _ZERO_MEMORY))
    return replace(result, zeroed=classify_run(_checked(project, command, folder, zeroing), words))


def _checked(project: Path, command: list[str], folder: Path, settings: _Settings) -> RunResult:
    """The program's run with the words and status of its script, where it has one, added."""
    scripts = project / "scripts"
    if (scripts / _GENERATE).is_file():
        made = _run([sys.executable, str(scripts / _GENERATE)], folder, settings.build, settings)
        if not made.ok:
            return made
    ran = _run(command, folder, settings.limits, settings)
    if not ran.ok or not (scripts / _VERIFY).is_file():
        return ran
    verify = [sys.executable, str(scripts / _VERIFY), *_VERIFY_ARGUMENTS]
    told = _run(verify, folder, settings.build, settings)
    text, errors = ran.stdout + told.stdout, ran.stderr + told.stderr
    return replace(told, stdout=text, stderr=errors, seconds=ran.seconds)


def _run(command: list[str], folder: Path, limits: Limits, settings: _Settings) -> RunResult:
    return run_command(command, limits, dict(settings.environment), folder)


def _first_error(result: RunResult) -> str:
    lines = (result.stdout + "\n" + result.stderr).splitlines()
    words = (line.strip() for line in lines if "rror" in line)
    return next(words, "") or "the build fails"


def _cause(result: RunResult) -> str:
    lines = [line for line in result.stderr.splitlines() if line.startswith("ascendc_emu: ")]
    if lines:
        return lines[0].removeprefix("ascendc_emu: ")
    found = result.diagnostic()
    return "" if found is None else found.one_line()
