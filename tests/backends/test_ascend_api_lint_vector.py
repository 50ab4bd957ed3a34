"""The lint of emitted Ascend 910B code against the table of the vector API."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from migrate.backends.ascendc.api_lint import lint_api
from migrate.backends.ascendc.api_lint_vector import lint_vector_api
from migrate.backends.ascendc.api_table import ApiTable, VectorTable, load_vector_table
from migrate.core.targets import Target
from tests.backends.conftest import Convert

TRUE = """#include "acl/acl.h"
#include "kernel_operator.h"
namespace tiles {
__aicore__ inline int Size(AscendC::LocalTensor<float> t)
{
    return (int)t.GetValue(0);
}
}
__global__ __aicore__ void k(__gm__ uint8_t* x, uint32_t n)
{
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> queue;
    AscendC::GlobalTensor<float> from;
    from.SetGlobalBuffer((__gm__ float*)x, n);
    pipe.InitBuffer(queue, 1, 256);
    AscendC::LocalTensor<float> t = queue.AllocTensor<float>();
    AscendC::DataCopyPad(t, from[AscendC::GetBlockIdx() * 64], {1, 256, 0, 0, 0}, {false, 0, 0, 0});
    AscendC::Adds(t, t, 1.0f, 64);
    AscendC::Cast(t.ReinterpretCast<int32_t>(), t, AscendC::RoundMode::CAST_TRUNC, 64);
    AscendC::Sqrt(t, t, 64);
    const event_t id = static_cast<event_t>(GetTPipePtr()->FetchEventID(AscendC::HardEvent::V_S));
    AscendC::SetFlag<AscendC::HardEvent::V_S>(id);
    t.SetValue(tiles::Size(t), __builtin_bit_cast(float, 1));
    queue.FreeTensor(t);
}
void launch_k(aclrtStream stream, uint8_t* x)
{
    aclrtMemAllocManaged((void**)&x, 256, ACL_RT_MEM_ATTACH_GLOBAL);
    k<<<8, nullptr, stream>>>(x, 512);
}
"""

SEEDED = (
    ("AscendC::Adds(", "AscendC::AddScalar(", "AddScalar"),
    ("AscendC::Adds(", "AscendC::Add_(", "Add_"),
    ("1.0f, 64);", "1.0f);", "Adds"),
    ("AscendC::Sqrt(t, t, 64)", "AscendC::Sqrt(t, 64)", "Sqrt"),
    ("AscendC::Sqrt(", "AscendC::Log1p(", "Log1p"),
    ("CAST_TRUNC", "CAST_ZERO", "RoundMode"),
    ("VECIN", "VECINPUT", "TPosition"),
    ("AscendC::HardEvent::V_S>(id)", "AscendC::HardEvent::V_T>(id)", "HardEvent"),
    ("AscendC::TPipe pipe", "AscendC::Pipe pipe", "Pipe"),
    ("AscendC::LocalTensor<float> t =", "AscendC::UbTensor<float> t =", "UbTensor"),
    ("AscendC::GetBlockIdx()", "AscendC::GetBlockIndex()", "GetBlockIndex"),
    ("AscendC::GetBlockIdx()", "AscendC::GetBlockIdx(0)", "GetBlockIdx"),
    (".SetGlobalBuffer(", ".SetBuffer(", "SetBuffer"),
    (".InitBuffer(queue, 1, 256)", ".InitBuffer(queue)", "InitBuffer"),
    (".AllocTensor<float>()", ".AllocTensor<float>(64)", "AllocTensor"),
    (".ReinterpretCast<int32_t>()", ".Reinterpret<int32_t>()", "Reinterpret"),
    ("queue.FreeTensor(t)", "queue.Free(t)", "Free"),
    ("->FetchEventID(", "->AllocEvent(", "AllocEvent"),
    ("GetTPipePtr()", "GetPipePtr()", "GetPipePtr"),
    ("__builtin_bit_cast(", "__float_as_int(", "__float_as_int"),
    ("aclrtMemAllocManaged(", "aclrtMallocManaged(", "aclrtMallocManaged"),
    (", ACL_RT_MEM_ATTACH_GLOBAL)", ")", "aclrtMemAllocManaged"),
)


@pytest.fixture(scope="module")
def tables() -> tuple[VectorTable, ApiTable]:
    return load_vector_table()


def _names(text: str, tables: tuple[VectorTable, ApiTable]) -> list[str]:
    files = {PurePosixPath("k.asc"): text.encode()}
    vector, plain = tables
    return [f.name for f in (*lint_vector_api(files, vector), *lint_api(files, plain))]


def test_right_code_is_silent(tables: tuple[VectorTable, ApiTable]) -> None:
    assert _names(TRUE, tables) == []


@pytest.mark.parametrize(("right", "wrong", "name"), SEEDED)
def test_a_seeded_fault_is_named(
    right: str, wrong: str, name: str, tables: tuple[VectorTable, ApiTable]
) -> None:
    assert right in TRUE
    assert _names(TRUE.replace(right, wrong, 1), tables) == [name]


def test_a_fault_has_its_line(tables: tuple[VectorTable, ApiTable]) -> None:
    text = TRUE.replace("AscendC::Sqrt(", "AscendC::Root(").encode()
    (fault,) = lint_vector_api({PurePosixPath("k.asc"): text}, tables[0])
    assert (fault.file, fault.line) == (PurePosixPath("k.asc"), 20)


def test_a_conversion_reports_unknown_names(convert: Convert) -> None:
    source = (
        "#include <cuda_runtime.h>\n"
        "__global__ void k(float* y) { y[threadIdx.x] = sqrtf(y[threadIdx.x]); }\n"
        "int main() { @k<<<1, 32>>>(nullptr); }\n"
    )
    own = convert(source.replace("@", ""), Target.ASCEND_910B)
    assert [d.code.id for d in own.diagnostics if d.code.id == "CM4009"] == []
    found = convert(source.replace("@", "aclrtPrefetch(nullptr); "), Target.ASCEND_910B)
    causes = [d.cause for d in found.diagnostics if d.code.id == "CM4009"]
    assert [c.partition(":")[0] for c in causes] == ["aclrtPrefetch"]
