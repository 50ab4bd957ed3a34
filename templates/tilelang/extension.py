# --- what the host functions below use


def on_device(value: Any) -> bool:
    """Whether kernels can work there: a GPU, or the CPU by TileLang's ``c`` target."""
    device = value.device if isinstance(value, torch.Tensor) else torch.device(value)
    return device.type in ("cuda", "cpu")


def accelerator() -> str:
    """The GPU, or the CPU where there is none."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def working_on(device: Any) -> contextlib.AbstractContextManager[Any]:
    """What runs inside runs on a device (a tensor, a device or an index)."""
    if isinstance(device, torch.Tensor):
        device = device.device
    if isinstance(device, int) and device < 0 or str(device).startswith("cpu"):
        return contextlib.nullcontext()
    return torch.cuda.device(device)


def memory(tensor: torch.Tensor, offset: int) -> torch.Tensor:
    """The elements of a contiguous tensor from ``offset`` on."""
    return tensor.view(-1)[offset:]


def truncdiv(a: int, b: int) -> int:
    """C++'s quotient, rounded towards zero."""
    return -(-a // b) if (a < 0) != (b < 0) else a // b


def truncmod(a: int, b: int) -> int:
    """C++'s remainder, with the sign of ``a``."""
    return a - truncdiv(a, b) * b


def float32(value: float) -> float:
    """The nearest ``float``."""
    return torch.tensor(value, dtype=torch.float64).to(torch.float32).item()
