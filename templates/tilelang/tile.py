class LoopTiles:
    """TileLang for its C target: tiles lie in static memory, what it lacks there are loops.

    A reduction follows the order of the CUDA kernel's threads: ``halves``, ``warps`` (halves of 32,
    then of their results), ``neighbours`` or ``serial``. Tiles have a power of two of elements.
    """

    def __init__(self, order: str) -> None:
        self._order = order

    def __getattr__(self, name: str) -> Any:
        return getattr(T, name)

    def alloc_fragment(self, shape: tuple[int, ...], dtype: str) -> Any:
        return T.alloc_shared(shape, dtype, scope="shared")

    def fill(self, tile: Any, value: Any) -> None:
        @T.macro
        def run():
            for at in T.Parallel(tile.shape[0]):
                tile[at] = value

        run()

    def clear(self, tile: Any) -> None:
        self.fill(tile, T.cast(0, tile.dtype))

    def reduce_sum(self, tile: Any, result: Any) -> None:
        self._reduce(tile, result, lambda a, b: a + b)

    def reduce_max(self, tile: Any, result: Any) -> None:
        self._reduce(tile, result, _larger)

    def reduce_min(self, tile: Any, result: Any) -> None:
        self._reduce(tile, result, _smaller)

    def _reduce(self, tile: Any, result: Any, fold: Any) -> None:
        length = int(tile.shape[0])
        left = T.alloc_shared((length,), tile.dtype, scope="shared")

        @T.macro
        def load():
            for at in T.Parallel(length):
                left[at] = tile[at]

        @T.macro
        def level(takes: Any, distance: int):
            for at in T.Parallel(length):
                if takes(at):
                    left[at] = fold(left[at], left[at + distance])

        @T.macro
        def store():
            result[0] = left[0]

        load()
        for takes, distance in _levels(self._order, length):
            level(takes, distance)
        store()


def _levels(order: str, length: int) -> list[tuple[Any, int]]:
    """The levels of a reduction: which elements take in another one, and how far away that is."""
    if order == "serial":
        return [(lambda at: at == 0, k) for k in range(1, length)]
    powers = [1 << k for k in range(length.bit_length() - 1)]
    if order == "neighbours":
        return [(lambda at, k=k: at % (2 * k) == 0, k) for k in powers]
    group = min(32, length) if order == "warps" else length
    within = [(lambda at, k=k: at % group < k, k) for k in reversed(powers) if k < group]
    among = [k for k in reversed(powers) if k >= group]
    return within + [(lambda at, k=k: at % group == 0 and at < k, k) for k in among]


def _larger(a: Any, b: Any) -> Any:
    names = {"float32": "fmaxf", "float64": "fmax"}
    return T.call_pure_extern(a.dtype, names[a.dtype], a, b) if a.dtype in names else T.max(a, b)


def _smaller(a: Any, b: Any) -> Any:
    names = {"float32": "fminf", "float64": "fmin"}
    return T.call_pure_extern(a.dtype, names[a.dtype], a, b) if a.dtype in names else T.min(a, b)


def language(target: str, order: str) -> Any:
    """TileLang as kernels of tiles are written in it; ``order`` is how CUDA's threads reduced."""
    return LoopTiles(order) if target == "c" else T
