"""Makes the report model from what the pipeline found."""

from __future__ import annotations

import bisect
from dataclasses import dataclass

from migrate.core.artifact import Artifact, EmittedKernel, GeneratedFile, RefusedKernel
from migrate.core.codes.target import NO_HOST_CALL
from migrate.core.diagnostics import Diagnostic
from migrate.core.rung import Rung
from migrate.core.span import Span
from migrate.core.targets import Target
from migrate.ir.kernel import Kernel
from migrate.ir.program import Program, SourceUnit
from migrate.report.confidence import confidence_of
from migrate.report.layers import layer_rows
from migrate.report.model import (
    BufferRow,
    DiagnosticRow,
    EditRow,
    FileRow,
    KernelRow,
    LaunchRow,
    LinePair,
    ProgramRow,
)
from migrate.verify.evidence import KernelEvidence, LaunchEvidence, ProgramEvidence, Verdict


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """Everything the pipeline knows about one program and target.

    ``kernels`` is keyed by (main file of the unit, kernel symbol).
    """

    name: str
    program: Program
    artifact: Artifact
    kernels: dict[tuple[str, str], KernelEvidence]
    runs: ProgramEvidence


def diagnostic_row(d: Diagnostic) -> DiagnosticRow:
    """A diagnostic as shown."""
    suggestion = d.suggestion
    return DiagnosticRow(
        code=d.code.id,
        title=d.code.title,
        severity=d.severity.value,
        outcome=d.outcome.value,
        cause=d.cause,
        file=d.span.file,
        line=d.span.line,
        column=d.span.column,
        label=d.label,
        suggestion="" if suggestion is None else suggestion.text,
        trust="" if suggestion is None else suggestion.trust.value,
        rule=d.rule or "",
    )


def _rows(diagnostics: tuple[Diagnostic, ...]) -> tuple[DiagnosticRow, ...]:
    unique = dict.fromkeys(diagnostics)
    return tuple(diagnostic_row(d) for d in unique)


def _launch_row(x: LaunchEvidence) -> LaunchRow:
    return LaunchRow(
        seq=x.seq,
        source=x.source,
        grid=x.grid,
        block=x.block,
        equal=x.equal,
        problem=x.problem,
        buffers=tuple(
            BufferRow(
                name=b.name,
                elements=b.elements,
                size=b.size,
                written=b.written,
                equal=b.difference.equal,
                bit_equal=b.difference.bit_equal,
                wrong=b.difference.wrong,
                max_abs=b.difference.max_abs,
                max_rel=b.difference.max_rel,
                max_ulp=b.difference.max_ulp,
                ulp_histogram=b.difference.ulp_histogram,
                cosine=b.difference.cosine,
                first=tuple((f.offset, f.want, f.got) for f in b.difference.first),
            )
            for b in x.buffers
        ),
    )


def _source_text(units: tuple[SourceUnit, ...], span: Span) -> str:
    for unit in units:
        for file in unit.files:
            if str(file.path) == span.file:
                return file.text[span.start : span.end].decode("utf-8", errors="replace")
    return ""


def _line_pairs(artifact: Artifact, k: EmittedKernel) -> tuple[LinePair, ...]:
    """Pairs of lines relative to the two texts that the report shows."""
    for path, lines in artifact.line_map:
        if path != k.file:
            continue
        numbers = [x.line for x in lines]
        low = bisect.bisect_left(numbers, k.first_line)
        high = bisect.bisect_right(numbers, k.last_line)
        return tuple(
            LinePair(x.line - k.first_line + 1, x.span.line - k.origin.line + 1)
            for x in lines[low:high]
            if k.origin.line <= x.span.line <= k.origin.end_line
        )
    return ()


def _emitted_row(
    result: ProgramResult, unit: SourceUnit, kernel: Kernel, k: EmittedKernel
) -> KernelRow:
    evidence = result.kernels[(str(unit.main.path), kernel.symbol)]
    confidence = confidence_of(evidence, k.rung, result.runs)
    return KernelRow(
        symbol=kernel.symbol,
        name=kernel.name,
        template_args=tuple((a.name, a.value) for a in kernel.template_args),
        file=kernel.span.file,
        line=kernel.span.line,
        rung=k.rung.value,
        verdict=evidence.verdict.value,
        confidence=confidence.value,
        confidence_parts=confidence.parts,
        original=_source_text(result.program.units, kernel.span),
        generated=k.text,
        generated_file=k.file.as_posix(),
        generated_line=k.first_line,
        line_pairs=_line_pairs(result.artifact, k),
        total_launches=evidence.total_launches,
        compared=evidence.compared,
        launches=tuple(_launch_row(x) for x in evidence.launches),
        diagnostics=_rows((*k.diagnostics, *evidence.diagnostics)),
        compile_log=evidence.compile_log,
    )


def _missing_row(
    result: ProgramResult, name: str, symbol: str, span: Span, diagnostics: tuple[Diagnostic, ...]
) -> KernelRow:
    return KernelRow(
        symbol=symbol,
        name=name,
        template_args=(),
        file=span.file,
        line=span.line,
        rung=Rung.REFUSED.value,
        verdict=Verdict.REFUSED.value,
        confidence=0.0,
        confidence_parts=("verdict refused",),
        original=_source_text(result.program.units, span),
        generated="",
        generated_file="",
        generated_line=0,
        line_pairs=(),
        total_launches=0,
        compared=0,
        launches=(),
        diagnostics=_rows(diagnostics),
    )


def _kernel_rows(result: ProgramResult) -> tuple[KernelRow, ...]:
    emitted = {(k.symbol, k.mangled): k for k in result.artifact.kernels}
    refused: dict[tuple[str, str], RefusedKernel] = {
        (k.symbol, k.mangled): k for k in result.artifact.refused
    }
    rows: list[KernelRow] = []
    seen: set[tuple[str, str]] = set()
    for unit, kernel in result.program.kernels:
        key = (kernel.symbol, kernel.mangled)
        if key in seen:
            continue
        seen.add(key)
        if key in emitted:
            rows.append(_emitted_row(result, unit, kernel, emitted[key]))
        else:
            diagnostics = refused[key].diagnostics if key in refused else ()
            rows.append(_missing_row(result, kernel.name, kernel.symbol, kernel.span, diagnostics))
    unread: set[Span] = set()
    for unit in result.program.units:
        for lost in unit.unread:
            if lost.span not in unread:
                unread.add(lost.span)
                rows.append(
                    _missing_row(result, lost.name, lost.name, lost.span, (lost.diagnostic,))
                )
    return tuple(rows)


def _file_row(file: GeneratedFile) -> FileRow:
    return FileRow(
        file=file.origin or "",
        generated_file=file.path.as_posix(),
        edits=tuple(EditRow(e.span.line, e.span.start, e.span.end, e.length) for e in file.edits),
    )


def program_row(result: ProgramResult) -> ProgramRow:
    """One program with its kernels; unread kernels are rows of their own, counted as refused."""
    calls: dict[tuple[str, str], int] = {}
    for unit in result.program.units:
        for call in unit.calls:
            key = (call.name, "call")
            calls[key] = calls.get(key, 0) + 1
    diagnostics = (
        *result.program.diagnostics,
        *(d for unit in result.program.units for d in unit.diagnostics),
        *result.artifact.diagnostics,
        *result.runs.diagnostics,
    )
    kernels = _kernel_rows(result)
    of_kernels = {d for k in kernels for d in k.diagnostics}
    host_calls = tuple((name, kind, n) for (name, kind), n in sorted(calls.items()))
    stubbed = [d.cause for d in result.artifact.diagnostics if d.code is NO_HOST_CALL]
    if result.artifact.target == Target.TILELANG.value:
        # The host side of a TileLang module is the caller's Python: no host call moves there.
        stubbed = [name for name, _, n in host_calls for _ in range(n)]
    return ProgramRow(
        name=result.name,
        files=tuple(str(u.main.path) for u in result.program.units),
        kernels=kernels,
        original_run=result.runs.original,
        migrated_run=result.runs.migrated,
        control_run=result.runs.control,
        detail=result.runs.detail,
        diagnostics=tuple(d for d in _rows(diagnostics) if d not in of_kernels),
        host_calls=host_calls,
        edited=tuple(_file_row(f) for f in result.artifact.files if f.edits),
        layers=layer_rows(kernels, host_calls, stubbed),
    )
