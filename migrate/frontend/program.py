"""``read_program``: CUDA sources to the program model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from clang import cindex

from migrate.core.codes import internal, reading, usage
from migrate.core.compile_settings import NO_SETTINGS, CompileSettings
from migrate.core.cuda_text import cuda_uses
from migrate.core.diagnostics import Code, Diagnostic, Outcome, Suggestion, Trust, UserError
from migrate.core.options import default_cache_dir
from migrate.core.span import NO_SPAN, span_of
from migrate.frontend.branches import skipped_branches, skipped_ranges, skipped_spans
from migrate.frontend.cursor import Cursor
from migrate.frontend.declarations import Declarations, collect
from migrate.frontend.definitions import definitions
from migrate.frontend.errors import ParseError
from migrate.frontend.fallback import kernel_definitions, unseen_kernels, unseen_launches
from migrate.frontend.host import HostReader
from migrate.frontend.includes import includes, project_files
from migrate.frontend.library_headers import library_headers
from migrate.frontend.parse_arguments import arguments_of, device_of, standard_of
from migrate.frontend.recovery import blanked, deep_arguments, unbalanced
from migrate.frontend.source import Sources
from migrate.frontend.toolchain import parse_file, precompiled_stubs
from migrate.frontend.torch_extension import read_extension
from migrate.frontend.unit import UnitReader, is_kernel, unit_name
from migrate.frontend.unit_cache import UnitKey, load_unit, store_unit, unit_key
from migrate.ir.kernel import Module
from migrate.ir.program import LaunchSite, Program, SourceFile, SourceUnit, UnreadKernel

SUFFIXES = frozenset({".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp"})
"""What a directory is searched for; a unit is a ``.cu`` file, or C++ that holds a launch."""


@dataclass(frozen=True, slots=True)
class FrontendOptions:
    """How sources are parsed. ``defines`` are ``NAME`` or ``NAME=VALUE``.

    ``settings`` are those of one file's own build; the other fields hold for every file and win.
    ``reuse`` takes units from the cache that were read before from the same text.
    """

    include_dirs: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    std: str = "c++17"
    cxx: str = "g++"
    cache_dir: Path | None = None
    settings: CompileSettings = NO_SETTINGS
    reuse: bool = False

    @property
    def effective(self) -> CompileSettings:
        """What a file is parsed with, ``std`` aside."""
        return self.settings.under(
            CompileSettings(include_dirs=self.include_dirs, defines=self.defines)
        )


def read_program(paths: tuple[Path, ...], options: FrontendOptions) -> Program:
    """Read CUDA sources into a program.

    Each path is a source file or a directory; of a directory every ``.cu`` file is a unit unless
    another file includes it. Raises :class:`UserError` for a path that cannot be read (CM0001,
    CM0002, CM0003, CM0008); everything else is a diagnostic of the unit that it concerns.
    """
    units: list[SourceUnit] = []
    for root, file in _unit_files(paths):
        units.append(read_unit(file, root, options))
    return Program(tuple(units))


def _unit_files(paths: tuple[Path, ...]) -> list[tuple[Path, Path]]:
    found: list[tuple[Path, Path]] = []
    for path in paths:
        if not path.exists():
            raise _stopped(usage.MISSING_INPUT, f"{path} does not exist")
        if path.is_dir():
            files = sorted(p for p in path.rglob("*.cu") if p.is_file())
            included = _included_names(files)
            inside = [(path, f) for f in files if f.name not in included]
            if not inside:
                raise _stopped(usage.NO_CUDA_INPUT, f"{path} holds no .cu file")
            found += inside
        else:
            found.append((path.parent, path))
    return found


def _included_names(files: list[Path]) -> frozenset[str]:
    names: set[str] = set()
    for file in files:
        for line in file.read_bytes().splitlines():
            stripped = line.strip()
            if stripped.startswith(b"#") and b"include" in stripped and b".cu" in stripped:
                text = stripped.decode("utf-8", errors="replace")
                for quote in ('"', "<"):
                    if quote in text:
                        name = text.split(quote, 1)[1].rstrip('">').split('"')[0].split(">")[0]
                        names.add(Path(name).name)
    return frozenset(names)


def _stopped(code: Code, cause: str) -> UserError:
    return UserError(Diagnostic(code, Outcome.STOPPED, cause))


def _read_bytes(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise _stopped(usage.UNREADABLE_INPUT, f"{path}: {fault.strerror}") from fault
    if not data.strip():
        raise _stopped(usage.EMPTY_INPUT, f"{path} is empty")
    if b"\0" in data[:65536]:
        raise _stopped(usage.BINARY_INPUT, f"{path} holds zero bytes")
    return data


def read_unit(path: Path, root: Path, options: FrontendOptions) -> SourceUnit:
    """Read one translation unit; ``root`` is the folder below which output paths are formed.

    A fault of ours costs the unit and is reported as CM9003 for each of its kernels.
    """
    data = _read_bytes(path)
    main = SourceFile(path, _below(path, root), data, is_header=path.suffix in _HEADERS)
    try:
        if not options.reuse:
            return _read(main, root, options)
        folder, key = _place(main, root, options)
        known = load_unit(folder, key, main)
        if known is None:
            known = _read(main, root, options)
            store_unit(folder, key, known)
        return known
    except Exception as fault:
        cause = f"{type(fault).__name__}: {fault}"
        return _given_up(main, internal.FRONTEND_FAULT, cause)


def known_unit(path: Path, root: Path, options: FrontendOptions) -> SourceUnit | None:
    """The unit if the cache has it as it would be read now. Raises like :func:`read_unit`."""
    if not options.reuse:
        return None
    data = _read_bytes(path)
    main = SourceFile(path, _below(path, root), data, is_header=path.suffix in _HEADERS)
    folder, key = _place(main, root, options)
    return load_unit(folder, key, main)


def _place(main: SourceFile, root: Path, options: FrontendOptions) -> tuple[Path, UnitKey]:
    folder = options.cache_dir or default_cache_dir()
    return folder, unit_key(main, root, options.effective, _parser(options))


def _parser(options: FrontendOptions) -> str:
    """What beside the text decides the parse: the precompiled header's name covers the rest."""
    cache = str(options.cache_dir or default_cache_dir())
    device = device_of(options.effective)
    return precompiled_stubs(
        options.cxx, standard_of(options.settings.std or options.std), cache, device
    )


_HEADERS = frozenset({".h", ".cuh", ".hpp", ".hxx", ".hh", ".inl"})


def _given_up(main: SourceFile, code: Code, cause: str) -> SourceUnit:
    """A unit of which nothing is read, and the kernels that its text has."""
    file = str(main.path)
    stopped = Diagnostic(code, Outcome.REFUSED, cause, span_of(file, main.text, 0, 0))
    lost = tuple(
        UnreadKernel(name, span_of(file, main.text, start, end), stopped)
        for name, start, end in kernel_definitions(main.text)
    )
    return SourceUnit(main, (), Module(unit_name(main.path)), unread=lost, diagnostics=(stopped,))


def _read(main: SourceFile, root: Path, options: FrontendOptions) -> SourceUnit:
    path, data = main.path, main.text
    sources = Sources()
    sources.add(str(path), data)
    deep = deep_arguments(data)
    if deep is not None:
        line = data.count(b"\n", 0, deep) + 1
        cause = f"template arguments nest over 20 deep in line {line}"
        return _given_up(main, reading.TOO_DEEP, cause)
    try:
        tree = _parse(path, options)
    except cindex.TranslationUnitLoadError as fault:
        return _given_up(main, reading.PARSER_GAVE_UP, str(fault))
    errors = _errors(tree)
    lost: tuple[UnreadKernel, ...] = ()
    if errors:
        tree, errors, lost = _without_broken(tree, errors, main, options)
    declarations = collect(Cursor(tree.cursor), sources)
    reader = UnitReader(sources, declarations, errors)
    host = HostReader(sources, declarations, reader.kernel)
    _read_kernels(declarations, reader, host)
    extension = read_extension(declarations, sources, reader.kernel)
    module = reader.module(unit_name(path))
    headers = project_files(declarations, sources, path, root)
    skipped = tuple(
        s for f in (main, *headers) for s in skipped_branches(tree, str(f.path), f.text)
    )
    unread = [*reader.unread, *lost]
    unread += unseen_kernels(main, headers, declarations, skipped, lost)
    for branch in skipped:
        if branch.branch.never or not branch.uses.kernels:
            reader.sink.report(branch.diagnostic)
    for item in unread:
        reader.sink.report(item.diagnostic)
    for name, cause, span in host.faults:
        reader.sink.report(
            Diagnostic(
                internal.FRONTEND_FAULT, Outcome.WEAKER, f"host function {name}: {cause}", span
            )
        )
    for missed in unseen_launches((main, *headers), host.launches.values(), declarations, skipped):
        reader.sink.report(missed)
    for launch in _unresolved(host.launches.values(), unread):
        reader.sink.report(launch)
    told = {(u.diagnostic.code, u.diagnostic.span.file, u.diagnostic.span.start) for u in unread}
    named = library_headers(declarations, sources, errors)
    for found in named:
        reader.sink.report(found.diagnostic)
    for error in errors:
        if error.in_plain_library or any(found.explains(error) for found in named):
            continue
        if (error.code, error.file, error.offset) not in told:
            reader.sink.report(_error_diagnostic(error, sources))
    return SourceUnit(
        main=main,
        headers=headers,
        module=module,
        launches=_in_order(host.launches.values()),
        calls=tuple(sorted(host.calls.values(), key=lambda x: (x.span.file, x.span.start))),
        names=tuple(sorted(host.names.values(), key=lambda x: (x.span.file, x.span.start))),
        includes=includes(declarations, sources, path),
        definitions=definitions(declarations, sources, module),
        unread=tuple(unread),
        diagnostics=reader.sink.diagnostics,
        extension=extension,
        skipped=skipped_spans(tree, (main, *headers)),
    )


def _parse(path: Path, options: FrontendOptions, text: str | None = None) -> cindex.TranslationUnit:
    return parse_file(
        str(path),
        arguments_of(options.effective, options.cxx),
        cxx=options.cxx,
        std=standard_of(options.settings.std or options.std),
        device=device_of(options.effective),
        cache_dir=str(options.cache_dir or default_cache_dir()),
        text=text,
    )


def _without_broken(
    tree: cindex.TranslationUnit,
    errors: tuple[ParseError, ...],
    main: SourceFile,
    options: FrontendOptions,
) -> tuple[cindex.TranslationUnit, tuple[ParseError, ...], tuple[UnreadKernel, ...]]:
    """The file parsed again without functions whose braces do not balance, if that helps."""
    file = str(main.path)
    broken = unbalanced(main.text, skipped_ranges(tree, file))
    if not broken or not any(e.file == file for e in errors):
        return tree, errors, ()
    text = blanked(main.text, broken).decode("utf-8", errors="replace")
    if len(text.encode()) != len(main.text):
        return tree, errors, ()  # bytes that are no UTF-8: offsets would move
    try:
        again = _parse(main.path, options, text)
    except cindex.TranslationUnitLoadError:
        return tree, errors, ()
    left = _errors(again)
    if len(left) >= len(errors):
        return tree, errors, ()
    kernels: list[UnreadKernel] = []
    for part in broken:
        span = span_of(file, main.text, part.start, part.end)
        for name in cuda_uses(main.text, part.start, part.end).kernels:
            cause = f"the braces of {name} do not balance"
            found = Diagnostic(reading.SYNTAX_ERROR, Outcome.REFUSED, cause, span, kernel=name)
            kernels.append(UnreadKernel(name, span, found))
    told = tuple(
        ParseError(file, b.start, main.text.count(b"\n", 0, b.start) + 1, _UNBALANCED)
        for b in broken
        if not cuda_uses(main.text, b.start, b.end).kernels
    )
    return again, (*left, *told), tuple(kernels)


_UNBALANCED = "expected as many closing braces as opening ones in this function"


def _unresolved(launches: Iterable[LaunchSite], unread: list[UnreadKernel]) -> Iterator[Diagnostic]:
    """Launches of which no kernel is known, and not because the kernel could not be read."""
    names = {u.name for u in unread}
    for launch in launches:
        name = launch.callee.text.split("<")[0].split("::")[-1].strip()
        if not launch.kernels and name not in names and launch.macro is None:
            cause = f"{launch.callee.text or 'the launch'} is no kernel that was read"
            yield Diagnostic(reading.LAUNCH_UNRESOLVED, Outcome.WEAKER, cause, launch.span)


def _in_order(launches: Iterable[LaunchSite]) -> tuple[LaunchSite, ...]:
    return tuple(sorted(launches, key=lambda x: (x.span.file, x.span.start)))


def _below(path: Path, root: Path) -> Path:
    try:
        return path.resolve().relative_to(root.resolve())
    except ValueError:
        return Path(path.name)


def _read_kernels(declarations: Declarations, reader: UnitReader, host: HostReader) -> None:
    for declared in declarations.functions:
        if declared.is_kernel and not declared.is_template and declared.cursor.is_definition:
            reader.kernel(declared.cursor)
    for instance in declarations.instances:
        if is_kernel(instance):
            reader.kernel(instance)
    host.read()
    reached = {k.name for k in reader.kernels.values()} | {u.name for u in reader.unread}
    for declared in declarations.functions:
        if declared.is_kernel and declared.is_template and declared.name not in reached:
            if declared.cursor.is_definition:
                reader.never_instantiated(declared)


def _errors(tree: cindex.TranslationUnit) -> tuple[ParseError, ...]:
    found: list[ParseError] = []
    for d in tree.diagnostics:
        if d.severity >= cindex.Diagnostic.Error and d.location.file is not None:
            file = str(d.location.file.name)
            found.append(
                ParseError(file, int(d.location.offset), int(d.location.line), str(d.spelling))
            )
    return tuple(e for e in found if not e.harmless)


def _error_diagnostic(error: ParseError, sources: Sources) -> Diagnostic:
    source = sources.get(error.file)
    span = source.span(error.offset, min(len(source.data), error.offset + 1))
    suggestion = None
    if error.missing_header is not None:
        suggestion = Suggestion(
            f"give its folder with -I, if {error.missing_header} is yours", Trust.REVIEW
        )
    return Diagnostic(
        error.code,
        Outcome.WEAKER,
        error.message,
        span if source.data else NO_SPAN,
        suggestion=suggestion,
    )
