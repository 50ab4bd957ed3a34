PASS_CONFIGS = {
    # Loads stay where they are written, so tensors may share memory.
    "tl.if_stmt_binding_inline_replayable_binds": False,
    # Every access is guarded as in the CUDA source.
    "tl.disable_safe_memory_legalize": True,
}


def build(kernel: Any, target: str) -> Any:
    """Compile a kernel for ``c`` (a CPU) or ``cuda``."""
    if target == "c":
        return tilelang.compile(
            kernel,
            target="c",
            execution_backend="cython",
            pass_configs={**PASS_CONFIGS, "tirx.disable_vectorize": True},
            compile_flags=["-O2", "-ffp-contract=off", "-fwrapv"],
        )
    return tilelang.compile(kernel, target=target, pass_configs=PASS_CONFIGS)


class Launch:
    """Grid and block of a CUDA launch, each an int or up to three of them."""

    def __init__(self, grid: Dim, block: Dim) -> None:
        self.grid = self._three(grid)
        self.block = self._three(block)
        self.empty = 0 in self.grid or 0 in self.block
        self.lanes = self.block[0] * self.block[1] * self.block[2]

    @staticmethod
    def _three(dim: Dim) -> tuple[int, int, int]:
        x, y, z = (dim, 1, 1) if isinstance(dim, int) else (*dim, 1, 1, 1)[:3]
        return x, y, z

    def threads(self, axis: int) -> int:
        """Threads of the whole launch along an axis."""
        count = self.grid[axis] * self.block[axis]
        if count >= 2**31:
            raise ValueError(f"{count} threads along one axis, the limit is 2**31 - 1")
        return count

    def __call__(self, kernel: Any, *args: Any, times: int = 1) -> None:
        """Run a kernel; ``times`` counts the threads that all do the same."""
        for _ in range(0 if self.empty else times):
            kernel(*args)


def flat(
    name: str, tensor: torch.Tensor | None, dtype: torch.dtype, storage: torch.dtype | None = None
) -> torch.Tensor:
    """A tensor as a flat array of ``storage`` (``dtype`` where that is left out).

    Raises ``TypeError`` for another dtype, ``ValueError`` for strides or 2**31 elements.
    """
    if tensor is None:
        return torch.empty(1, dtype=storage or dtype)
    if tensor.dtype not in (dtype, storage):
        raise TypeError(f"{name} is {tensor.dtype}, expected {dtype}")
    if not tensor.is_contiguous():
        raise ValueError(f"{name} is not contiguous")
    out = tensor.view(-1).view(storage or dtype)
    if out.numel() >= 2**31:
        raise ValueError(f"{name} has {out.numel()} elements, the limit is 2**31 - 1")
    return out


def words(name: str, tensor: torch.Tensor | None, storage: torch.dtype) -> torch.Tensor:
    """An array of structs, given as a tensor of any dtype, as the flat words of its members."""
    if tensor is None:
        return torch.empty(1, dtype=storage)
    return flat(name, tensor.view(-1).view(storage), storage)


def int32(value: int) -> int:
    """The signed integer with the same 32 bits."""
    return (int(value) + 2**31) % 2**32 - 2**31


def int64(value: int) -> int:
    """The signed integer with the same 64 bits."""
    return (int(value) + 2**63) % 2**64 - 2**63


def target_of(*tensors: torch.Tensor | None) -> str:
    """Where the tensors are: ``c`` for the CPU, else ``cuda``."""
    return "c" if all(t is None or t.device.type == "cpu" for t in tensors) else "cuda"


def as_uint32(x):
    """The bits of an int32 as uint32; ``^ 0`` keeps TileLang from using the signed bounds."""
    return T.cast(x, "uint32") ^ T.uint32(0)


def as_uint64(x):
    """The bits of an int64 as uint64; ``^ 0`` keeps TileLang from using the signed bounds."""
    return T.cast(x, "uint64") ^ T.uint64(0)
