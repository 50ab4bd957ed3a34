"""Pointers inside structs, buffers and variables: found by their types, moved along on replay."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.ir.kernel import Field, Kernel, Module, Param, StructDef
from migrate.ir.program import Program, SourceFile, SourceUnit
from migrate.ir.types import Array, Kind, Pointer, Scalar, Struct, Type
from migrate.pipeline.inputs import find_programs
from migrate.pipeline.run import Prepared, ProgramRun, finish, prepare
from migrate.rules.catalogue import load_catalogue
from migrate.verify.capture import Launch, PointerWord
from migrate.verify.evidence import Verdict
from migrate.verify.pointer_layouts import layouts_text

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests/emulation/cuda_programs/pointers.cu"
FLOAT = Scalar(Kind.F32)


@dataclass(frozen=True, slots=True)
class _Done:
    prepared: Prepared
    run: ProgramRun

    def launch(self, kernel: str) -> Launch:
        assert self.prepared.oracle.capture is not None
        (found,) = (x for x in self.prepared.oracle.capture.launches if x.kernel == kernel)
        return found

    def verdict(self, kernel: str) -> Verdict:
        (found,) = (k for k in self.run.proof.kernels.values() if k.symbol == kernel)
        return found.verdict


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> _Done:
    work = tmp_path_factory.mktemp("pointers")
    (program,) = find_programs((SOURCE,))
    options = Options(Target.ASCEND_950, cache_dir=ROOT / "build" / "cache", reuse_runs=False)
    prepared = prepare(program, options, work)
    assert prepared.oracle.original == "pass"
    return _Done(prepared, finish(prepared, options, load_catalogue(), work))


def test_an_integer_that_looks_like_an_address_is_none(done: _Done) -> None:
    (view,) = done.launch("by_struct").args
    assert [w.at for w in view.pointers] == [0, 16]  # `looks` at 8 holds the address of a buffer
    looks = int.from_bytes(view.data[8:16], "little")
    table = done.launch("batched").buffers
    assert looks > 1 << 20
    assert {b.alloc for b in done.launch("by_struct").buffers} == {w.alloc for w in view.pointers}
    assert len(table) == 5  # three rows, their table, and b


def test_rows_behind_a_table_of_pointers_are_captured(done: _Done) -> None:
    launch = done.launch("batched")
    table = next(b for b in launch.buffers if b.alloc == launch.args[0].alloc)
    assert [(w.at, w.offset) for w in table.pointers] == [(0, 0), (8, 0), (16, 0)]
    rows = {w.alloc for w in table.pointers}
    changed = {b.alloc for b in launch.buffers if b.before != b.after}
    assert rows == changed


def test_a_pointer_in_a_device_variable_is_followed(done: _Done) -> None:
    launch = done.launch("through_variable")
    (variable,) = launch.globals
    (buffer,) = launch.buffers
    assert variable.pointers == (PointerWord(0, buffer.alloc, 0),)
    assert buffer.before != buffer.after


@pytest.mark.parametrize("kernel", ["by_struct", "batched", "through_variable"])
def test_the_replay_moves_pointers_along(done: _Done, kernel: str) -> None:
    assert done.verdict(kernel) is Verdict.EQUAL_CAPTURED


def _program(*params: Type, structs: tuple[StructDef, ...] = ()) -> Program:
    named = tuple(Param(f"p{i}", t) for i, t in enumerate(params))
    kernel = Kernel("k", "k", named, (), mangled="_Z1k")
    module = Module("m", structs=structs, kernels=(kernel,))
    file = SourceFile(Path("m.cu"), Path("m.cu"), b"", is_header=False)
    return Program((SourceUnit(file, (), module),))


def test_layouts_go_through_structs_and_arrays() -> None:
    inner = StructDef("Inner", (Field("rows", Array(Pointer(FLOAT), 2), 8),), 24, 8)
    outer = StructDef("Outer", (Field("n", Scalar(Kind.I64), 0), Field("in", Struct("Inner"), 8)),
                      32, 8)  # fmt: skip
    text = layouts_text(_program(Struct("Outer"), Scalar(Kind.I64), structs=(inner, outer)))
    assert text.splitlines() == ["type 0 32 16:- 24:-", "kernel _Z1k 0 -"]


def test_a_list_refers_to_itself() -> None:
    node = StructDef("Node", (Field("next", Pointer(Struct("Node")), 8),), 16, 8)
    text = layouts_text(_program(Pointer(Struct("Node")), structs=(node,)))
    assert text.splitlines() == ["type 1 16 8:1", "type 0 8 0:1", "kernel _Z1k 0"]


def test_a_union_with_a_pointer_leaves_its_kernel_out() -> None:
    fields = (Field("p", Pointer(FLOAT), 0), Field("n", Scalar(Kind.I64), 0))
    union = StructDef("Either", fields, 8, 8, union=True)
    assert layouts_text(_program(Struct("Either"), structs=(union,))) == ""
    plain = replace(union, fields=fields[1:])
    assert layouts_text(_program(Struct("Either"), structs=(plain,))) == "kernel _Z1k -\n"
