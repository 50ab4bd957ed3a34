class LoopTiles:
    """TileLang for its C target: tiles lie in static memory, what it lacks there are loops.

    A reduction follows the order of the CUDA kernel's threads: ``halves``, ``warps`` (halves of 32,
    then of their results), ``neighbours`` or ``serial``; ``warps, then serial`` and ``neighbours,
    then serial`` fold 32 elements so, then their results one after the other. Tiles have a power of two of elements.
    """

    def __init__(self, order: str, scan: str) -> None:
        self._order = order
        self._scan = scan

    def __getattr__(self, name: str) -> Any:
        return getattr(T, name)

    def alloc_fragment(self, shape: tuple[int, ...], dtype: str) -> Any:
        return T.alloc_shared(shape, dtype, scope="shared")

    def alloc_shared(self, shape: tuple[int, ...], dtype: str) -> Any:
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

    def cumsum(self, tile: Any) -> None:
        length = int(tile.shape[0])
        before = T.alloc_shared((length,), tile.dtype, scope="shared")
        own = T.alloc_shared((length,), tile.dtype, scope="shared")

        @T.macro
        def copy(source: Any, target: Any):
            for at in T.Parallel(length):
                target[at] = source[at]

        @T.macro
        def level(takes: Any, source: Any):
            copy(tile, before)
            for at in T.Parallel(length):
                if takes(at):
                    tile[at] = before[source(at)] + before[at]

        @T.macro
        def with_warps_before():
            copy(tile, before)
            for at in T.Parallel(length):
                tile[at] = own[at]
                if at >= 32:
                    tile[at] = before[at // 32 * 32 - 1] + own[at]

        for takes, source in _additions(self._scan, length, 1):
            level(takes, source)
        if self._scan == "warps":
            copy(tile, own)
            for takes, source in _additions("doubling", length, 32):
                level(takes, source)
            with_warps_before()

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
    way, _, rest = order.partition(", then ")
    group = min(32, length) if way == "warps" or rest else length
    if way == "neighbours":
        within = [(lambda at, k=k: at % (2 * k) == 0, k) for k in powers if k < group]
    else:
        within = [(lambda at, k=k: at % group < k, k) for k in reversed(powers) if k < group]
    if rest == "serial":
        return within + [(lambda at: at == 0, k) for k in range(group, length, group)]
    among = [k for k in reversed(powers) if k >= group]
    return within + [(lambda at, k=k: T.And(at % group == 0, at < k), k) for k in among]


def _additions(order: str, length: int, apart: int) -> list[tuple[Any, Any]]:
    """The levels of prefix sums: which elements take in another one, and which one that is. Of
    elements ``apart`` from each other, the last of each such group counts."""
    if order == "serial":
        return [(lambda at, k=k: at == k, lambda at: at - 1) for k in range(1, length)]
    powers = [1 << k for k in range((length - 1).bit_length())]
    if order == "tree":
        up = [(lambda at, k=k: at % (2 * k) == 2 * k - 1, lambda at, k=k: at - k) for k in powers]
        down = [
            (lambda at, k=k: T.And(at % (2 * k) == k - 1, at >= 2 * k), lambda at, k=k: at - k)
            for k in reversed(powers)
        ]
        return up + down
    if order == "warps":
        return [(lambda at, k=k: at % 32 >= k, lambda at, k=k: at - k) for k in powers if k < 32]
    return [
        (lambda at, k=k: T.And(at % apart == apart - 1, at >= k), lambda at, k=k: at - k)
        for k in powers
        if k >= apart
    ]


def _larger(a: Any, b: Any) -> Any:
    names = {"float32": "fmaxf", "float64": "fmax"}
    return T.call_pure_extern(a.dtype, names[a.dtype], a, b) if a.dtype in names else T.max(a, b)


def _smaller(a: Any, b: Any) -> Any:
    names = {"float32": "fminf", "float64": "fmin"}
    return T.call_pure_extern(a.dtype, names[a.dtype], a, b) if a.dtype in names else T.min(a, b)


def language(target: str, order: str = "halves", scan: str = "doubling") -> Any:
    """TileLang as kernels of tiles are written in it; ``order`` is how CUDA's threads reduced,
    ``scan`` how they made prefix sums."""
    return LoopTiles(order, scan) if target == "c" else T
