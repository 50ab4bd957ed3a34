"""Runs TileLang spellings with the real compiler's ``c`` target, in one subprocess."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numbers_cxx import COUNT, DTYPES, OPERANDS, Array, Case, Inputs, Outcome

from migrate.rules.model import Spelling

_DTYPE = {
    "i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16", "i32": "int32", "u32": "uint32",
    "i64": "int64", "u64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64",
    "bool": "bool",
}  # fmt: skip
_CARRIER = {"uint32": "int32", "uint16": "int16", "bool": "int8"}
"""What a tensor of a type that the launcher cannot take is passed as."""

_DRIVER = '''
import sys
import numpy as np
import torch
import tilelang
import tilelang.language as T

COUNT = {count}
{helpers}

target = "c"  # what helpers are told


def run(name, make, inputs, dtype, results):
    """Compile one group; a group that fails is split until the failing expression stands alone."""
    try:
        kernel = tilelang.compile(make(), target="c", execution_backend="cython",
                                  pass_configs={{"tirx.disable_vectorize": True}})
        out = torch.zeros(COUNT * len(results), dtype=dtype)
        kernel(*inputs, out)
        for i, r in enumerate(results):
            np.save(f"{{r}}.npy", out[i * COUNT:(i + 1) * COUNT].numpy())
        return None
    except Exception as error:
        return (str(error).strip().splitlines() or [type(error).__name__])[-1]

{body}
'''


def _group_text(n: int, items: Sequence[tuple[int, Case, Spelling]]) -> str:
    case = items[0][1]
    params, result = case.signature.params, _DTYPE[case.signature.result]
    carried = _CARRIER.get(result, result)
    tensors = [
        f'{OPERANDS[k]}_in: T.Tensor((COUNT,), "{_CARRIER.get(_DTYPE[p], _DTYPE[p])}")'
        for k, p in enumerate(params)
    ]
    lines = [
        f"def make_{n}():",
        "    @T.prim_func",
        f'    def group({", ".join(tensors)}, out: T.Tensor((COUNT * {len(items)},), "{carried}")):',
    ]
    lines += [
        "        with T.Kernel(T.ceildiv(COUNT, 128), threads=128) as block:",
        "            for lane in T.Parallel(128):",
    ]
    lines += ["                i = block * 128 + lane", "                if i < COUNT:"]
    pad = " " * 20
    for k, p in enumerate(params):
        value = f"{OPERANDS[k]}_in[i]"
        if _DTYPE[p] in _CARRIER:
            value = f'T.reinterpret({value}, "{_DTYPE[p]}")'
        lines.append(f"{pad}{OPERANDS[k]} = {value}")
    for m, (_, _, spelling) in enumerate(items):
        text = spelling.fill(list(OPERANDS))
        if result == "bool":
            text = f'T.cast({text}, "int8")'
        elif result in _CARRIER:
            text = f'T.reinterpret({text}, "{carried}")'
        lines.append(f"{pad}out[{m} * COUNT + i] = {text}")
    lines.append("    return group")
    return "\n".join(lines)


def run_tilelang(items: Sequence[tuple[Case, Spelling]], inputs: Inputs, work: Path) -> Outcome:
    """Values of each case by name; the cases that did not compile with the last line of the error."""
    work.mkdir(parents=True, exist_ok=True)
    todo: list[list[tuple[int, Case, Spelling]]] = _groups(items)
    values: dict[str, Array] = {}
    missing: dict[str, str] = {}
    for kind in DTYPES:
        for k in range(3):
            np.save(work / f"in_{kind}_{k}.npy", inputs[kind][k])
    while todo:
        failed = _run_groups(todo, items, work)
        retry: list[list[tuple[int, Case, Spelling]]] = []
        for n, group in enumerate(todo):
            error = failed.get(n)
            if error is None:
                for index, case, _ in group:
                    raw = np.load(work / f"out_{index}.npy")
                    values[case.name] = raw.view(DTYPES[case.signature.result])
            elif len(group) == 1:
                missing[group[0][1].name] = error
            else:
                half = len(group) // 2
                retry += [group[:half], group[half:]]
        todo = retry
    return Outcome(values, missing)


def _groups(items: Sequence[tuple[Case, Spelling]]) -> list[list[tuple[int, Case, Spelling]]]:
    table: dict[tuple[tuple[str, ...], str], list[tuple[int, Case, Spelling]]] = {}
    for n, (case, spelling) in enumerate(items):
        table.setdefault((case.signature.params, case.signature.result), []).append(
            (n, case, spelling)
        )
    return list(table.values())


def _run_groups(
    groups: Sequence[Sequence[tuple[int, Case, Spelling]]],
    items: Sequence[tuple[Case, Spelling]],
    work: Path,
) -> dict[int, str]:
    helpers: dict[str, str] = {}
    for _, spelling in items:
        for p in spelling.prelude:
            helpers.setdefault(p.name, p.text)
    body = [_group_text(n, g) for n, g in enumerate(groups)]
    body.append("errors = {}")
    for n, group in enumerate(groups):
        case = group[0][1]
        loads = []
        for k, p in enumerate(case.signature.params):
            dtype = _CARRIER.get(_DTYPE[p], _DTYPE[p])
            loads.append(f'torch.from_numpy(np.load("in_{p}_{k % 3}.npy").view(np.{dtype}).copy())')
        result = _DTYPE[case.signature.result]
        names = [f"out_{index}" for index, _, _ in group]
        body.append(
            f"e = run({n}, make_{n}, [{', '.join(loads)}], torch.{_CARRIER.get(result, result)}, {names})"
        )
        body.append(f"if e: errors[{n}] = e")
    body.append('import json; json.dump(errors, open("errors.json", "w"))')
    text = _DRIVER.format(count=COUNT, helpers="\n".join(helpers.values()), body="\n".join(body))
    (work / "driver.py").write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, "driver.py"], cwd=work, capture_output=True, text=True, timeout=400, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    import json

    return {int(k): str(v) for k, v in json.loads((work / "errors.json").read_text()).items()}
