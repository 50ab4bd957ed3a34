"""PyTorch extensions become Python modules that do what the compiled extension did."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Protocol

import pytest
import torch

from migrate.backends.tilelang.emit import emit_tilelang
from migrate.core.artifact import Artifact
from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.frontend.program import FrontendOptions, read_unit
from migrate.lifting.lift import lift
from migrate.verify.tilelang_replay import tilelang_installed

SOURCES = Path(__file__).parent / "extensions"
needs_tilelang = pytest.mark.skipif(not tilelang_installed(), reason="TileLang is not installed")

HEAD = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
__global__ void put(float* p, int n) { if (threadIdx.x < n) p[threadIdx.x] += n; }
"""


def converted(path: Path) -> Artifact:
    """One extension's module."""
    unit = read_unit(path, path.parent, FrontendOptions())
    options = Options(target=Target.TILELANG)
    lifted = tuple(lift(k, unit.module, Target.TILELANG, options) for k in unit.module.kernels)
    return emit_tilelang(unit, lifted, options)


def loaded(artifact: Artifact, folder: Path) -> ModuleType:
    """The module, imported."""
    (file,) = artifact.files
    path = folder / file.path.name
    path.write_bytes(file.content)
    spec = importlib.util.spec_from_file_location(f"extension_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def layer_norm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The extension with the forward and backward pass of layer normalisation."""
    artifact = converted(SOURCES / "layer_norm.cu")
    assert artifact.diagnostics == ()
    yield loaded(artifact, tmp_path_factory.mktemp("layer_norm"))


@needs_tilelang
def test_layer_norm_is_torchs(layer_norm: ModuleType) -> None:
    x = torch.linspace(-3, 5, 5 * 130).sin().view(5, 130).requires_grad_()
    weight = torch.linspace(0.5, 2, 130).requires_grad_()
    bias = torch.linspace(-1, 1, 130).requires_grad_()
    expected = torch.nn.functional.layer_norm(x, (130,), weight, bias, 1e-5)
    grad = torch.linspace(-1, 2, 5 * 130).cos().view(5, 130)
    expected.backward(grad)
    plain = (x.detach(), weight.detach(), bias.detach())

    y, mean, rstd = layer_norm.forward(*plain)
    torch.testing.assert_close(y, expected.detach(), rtol=1e-5, atol=1e-6)
    found = layer_norm.backward(grad, *plain[:2], mean, rstd)
    for mine, of in zip(found, (x, weight, bias), strict=True):
        torch.testing.assert_close(mine, of.grad, rtol=1e-4, atol=1e-5)


@needs_tilelang
def test_checks_of_the_extension_hold(layer_norm: ModuleType) -> None:
    x, w = torch.ones(2, 3), torch.ones(3)
    with pytest.raises(RuntimeError, match="weight and bias must have 3 entries"):
        layer_norm.forward(x, torch.ones(4), w, epsilon=1e-5)
    with pytest.raises(RuntimeError, match="x must be contiguous"):
        layer_norm.forward(torch.ones(3, 2).t(), w, w)
    with pytest.raises(RuntimeError, match="not implemented for this type"):
        layer_norm.forward(x.int(), w, w)


@needs_tilelang
def test_rotary_is_torchs_for_each_dtype(tmp_path: Path) -> None:
    artifact = converted(SOURCES / "rotary.cu")
    assert artifact.diagnostics == ()
    loaded(artifact, tmp_path)
    half = 4
    positions = torch.tensor([0, 3, 17])
    turn = positions.float()[:, None] * torch.tensor(10000.0) ** (-torch.arange(half) / half)
    c, s = turn.cos()[:, None], turn.sin()[:, None]
    for dtype in (torch.float16, torch.bfloat16):
        x = torch.linspace(-2, 2, 3 * 2 * 2 * half).view(3, 2, 2 * half).to(dtype)
        a, b = x.float().split(half, dim=-1)
        expected = torch.cat([a * c - b * s, a * s + b * c], -1).to(dtype)
        kept = x.clone()
        returned = torch.ops.rotary.rotate_(x, positions)
        torch.testing.assert_close(x, expected)
        assert returned.data_ptr() == x.data_ptr()
        back = torch.ops.rotary.rotate_backward(x, positions)
        torch.testing.assert_close(back, kept, rtol=0.02, atol=0.02)
    with pytest.raises(RuntimeError, match="the size of a head must be even, not 3"):
        torch.ops.rotary.rotate_(torch.ones(3, 2, 3), positions)


# --- the text of host functions


@dataclass(frozen=True)
class Host:
    """The Python made of a C++ function body, and what was said about it."""

    text: str
    causes: tuple[str, ...]


class Convert(Protocol):
    """``body`` as a function of two tensors and an integer, with code ``before`` it."""

    def __call__(self, body: str, before: str = "") -> Host: ...


@pytest.fixture
def host(tmp_path: Path) -> Convert:
    """Converts function bodies."""

    def run(body: str, before: str = "") -> Host:
        path = tmp_path / "host.cu"
        signature = "at::Tensor f(at::Tensor x, std::optional<at::Tensor> o, int64_t n)"
        path.write_text(f"{HEAD}\n{before}\n{signature} {{\n{body}\n}}\n")
        artifact = converted(path)
        text = artifact.files[0].content.decode()
        body_text = text.split('"""C++ function ``f``')[1].split('"""', 1)[1]
        return Host(body_text, tuple(d.cause for d in artifact.diagnostics))

    return run


SPELLED = {
    "options": (
        "auto y = torch::zeros({x.size(0), 3}, x.options().dtype(torch::kInt)); return y;",
        "y = torch.zeros([x.size(0), 3], device=x.device, dtype=torch.int32)",
    ),
    "optional": (
        "if (o.has_value()) return o.value(); return at::Tensor();",
        "if o is not None:\n        return o\n    return None",
    ),
    "offset": (
        "for (int i = 0; i < n; ++i) put<<<1, 32>>>(x.data_ptr<float>() + i * 4, 2); return x;",
        "for i in range(n):\n        put(\n            memory(x, i * 4),\n            2,",
    ),
    "ceiling of sizes": (
        "const int c = (x.size(0) + 31) / 32; put<<<c, 32>>>(x.data_ptr<float>(), c); return x;",
        "c = int32((x.size(0) + 31) // 32)",
    ),
    "quotient of unknown sign": (
        "const int64_t q = n / 2, r = n % 3; return x.view({q, r});",
        "q = truncdiv(n, 2)\n    r = truncmod(n, 3)",
    ),
    "difference that can be negative": (
        "const int64_t q = (x.size(0) - 2) / 2; return x.view({q});",
        "q = truncdiv(x.size(0) - 2, 2)",
    ),
    "narrowing": (
        "const int k = n; put<<<1, 32>>>(x.data_ptr<float>(), k); return x;",
        "k = int32(n)",
    ),
    "rounding to float": (
        "const float a = n * 0.1; return x.mul(a);",
        "a = float32(float(n) * 0.1)",
    ),
    "unsigned wraps": (
        "const unsigned u = 3; const unsigned v = u - static_cast<unsigned>(n); return x.view({v});",
        "v = (u - (n) % 4294967296) % 4294967296",
    ),
    "in place": ("x += 2.0; return x;", "x.add_(2.0)"),
    "shadowed": (
        "int k = 1; if (n) { int k = 2; x = x.view({k}); } return x.view({k});",
        "k = 1\n    if bool(n):\n        k_2 = 2\n        x = x.view([k_2])\n    return x.view([k])",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SPELLED)
def test_spelling(name: str, host: Convert) -> None:
    body, expected = SPELLED[name]
    found = host(body)
    assert found.causes == ()
    assert expected in found.text


REFUSED = {
    "a method without a counterpart": ("return x.masked_fill_(o.value(), 1);", "method masked_fill_ of const at::Tensor"),
    "a case that falls through": (
        "switch (x.scalar_type()) { case at::kFloat: { x = x.t(); } default: { x.zero_(); } }"
        " return x;",
        "a case that falls through",
    ),
    "bounds that the loop changes": (
        "for (int i = 0; i < n; ++i) { n = n - 1; x.zero_(); } return x;",
        "a for loop whose body changes its bounds",
    ),
    "an early return from a closure": (
        "[&] { if (n > 1) { return; } x.zero_(); }(); return x;",
        "a lambda that returns early",
    ),
    "memory of CUDA's own": (
        "cudaMemset(x.data_ptr(), 0, 4); return x;",
        "library function cudaMemset",
    ),
    "another stream": (
        "auto s = at::cuda::getStreamFromPool(); put<<<1, 1, 0, s>>>(x.data_ptr<float>(), 1);"
        " return x;",
        "library function getStreamFromPool",
    ),
    "the other device": (
        "TORCH_CHECK(x.device().type() == at::kCPU, \"cpu\"); return x;",
        "comparison with the device cpu",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusal(name: str, host: Convert) -> None:
    body, cause = REFUSED[name]
    found = host(body)
    assert found.causes == (f"f: {cause}",)
    assert "raise NotImplementedError(" in found.text


def test_a_stream_that_the_caller_chooses_is_refused(host: Convert) -> None:
    before = """void g(at::Tensor t, cudaStream_t s) {
      put<<<1, 1, 0, s>>>(t.data_ptr<float>(), 1);
    }"""
    found = host("g(x, at::cuda::getCurrentCUDAStream()); return x;", before)
    assert found.causes == ("g: parameter s of type CUstream_st *",)


def test_assigning_the_callers_tensor_is_refused(host: Convert) -> None:
    before = "void g(at::Tensor& t) { t = t.contiguous(); }"
    found = host("g(x); return x;", before)
    assert found.causes == ("g: assignment to the caller's t",)
