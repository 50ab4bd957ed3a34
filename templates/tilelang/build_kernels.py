"""Compiles the TileLang kernels of this tree to shared libraries for its C++ host programs.

    python build_kernels.py DIR [--target c|cuda|sm_80|ascend] [--shapes FILE] [--shape M:K:X,Y,Z:BYTES]

A library is made for a kernel and a shape: the sizes of the block, and where the kernel uses it the
bytes of dynamic shared memory. Shapes are those of ``kernel_shapes.json`` (what the program used when
it was migrated) or of ``--shapes``, and each ``--shape`` as a refused launch prints it. Kernels that
ask for no shape are always built. For ``ascend`` (950) the files hold what TileLang's own Ascend back
end writes, for the vendor's compiler: a kernel is put into its dialect, whose grid has one axis and
whose threads are those of a vector function.
"""

import argparse
import importlib.util
import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

import tilelang
from tilelang import tvm

HERE = Path(__file__).resolve().parent


KERNEL = re.compile(r"( *)with T\.Kernel\((.*), threads=(.+?)\) as (\(.*\)|\w+):$")


def for_ascend(text):
    """A generated module in the dialect of TileLang's Ascend target."""
    text = text.replace("import tilelang.language as T", "import tilelang.ascend.language as T")
    lines, out = text.splitlines(), []
    while lines:
        line = lines.pop(0)
        found = KERNEL.match(line)
        if found is None:
            out.append(line)
            continue
        indent, grid, threads, names = found.groups()
        body = []
        while lines and (not lines[0].strip() or lines[0].startswith(indent + " ")):
            body.append(lines.pop(0))
        out += ascend_kernel(indent, split_extents(grid), threads, names.strip("()").split(", "), body)
    return "\n".join(out) + "\n"


def split_extents(text):
    """The extents of a grid; a comma inside of brackets is no end of one."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([") - (c in ")]")
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts]


def ascend_kernel(indent, extents, threads, names, body):
    """One kernel: shared memory outside of the vector function, what a thread has inside."""
    one = names[0] if len(names) == 1 else "core"
    yield f"{indent}with T.Kernel({' * '.join(f'({e})' for e in extents)}) as {one}:"
    shared = [line for line in body if re.match(r" *\w+ = T\.alloc_shared\(", line)]
    yield from (line.replace(', scope="shared"', "") for line in shared)
    yield f"{indent}    with T.SimtVF(threads={threads}):"
    left = one
    for name, extent in zip(names, extents) if len(names) > 1 else ():
        yield f"{indent}        {name} = {left} % ({extent})"
        left = f"({left} // ({extent}))"
    yield from (
        f"    {line}" for line in body if line not in shared and "annotate_restrict_buffers" not in line
    )


def ascend_source(kernel, configs):
    """The text that TileLang's Ascend back end makes of a kernel."""
    target = tvm.target.Target({"kind": "ascend"})
    with target, tvm.transform.PassContext(opt_level=3, config=configs):
        return tilelang.lower(kernel, target=target).kernel_source


def load(path, chosen):
    """The generated module of a file, with its kernels built for C callers of a target."""
    name = f"kernels_{abs(hash(str(path)))}"
    if chosen == "ascend":
        # The language reads the source of a kernel again, so it has to be a file.
        place = Path(tempfile.mkdtemp()) / path.name
        place.write_text(for_ascend(path.read_text(encoding="utf-8")), encoding="utf-8")
        path = place
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    ordinary = module.build

    def build(kernel, target):
        if target == "c":
            return ordinary(kernel, target)
        configs = module.PASS_CONFIGS
        if target == "ascend":
            return ascend_source(kernel, configs)
        made_for = target_of(chosen)
        return tilelang.compile(kernel, target=made_for, execution_backend="cython", pass_configs=configs)

    module.build = build
    return module


def sizes(statics, block, shared):
    """The values that choose a variant, of the texts in ``*_kernels.json``."""
    known = {f"launch.block[{axis}]": size for axis, size in enumerate(block)}
    known["launch.lanes"] = block[0] * block[1] * block[2]
    known["shared"] = shared
    return tuple(known[text] for text in statics)


def target_of(text):
    """What TileLang takes for ``c``, ``cuda`` or an architecture."""
    return {"kind": "cuda", "arch": text} if text.startswith("sm_") else text


def wanted(module, entry, statics, shapes):
    """The variants of a kernel."""
    if not statics:
        return {()}
    return {sizes(statics, s["block"], s["shared"]) for s in shapes if (s["module"], s["kernel"]) == (module, entry)}


def parse_shape(text):
    """``MODULE:KERNEL:X,Y,Z:BYTES``."""
    module, kernel, block, shared = text.split(":")
    return {"module": module, "kernel": kernel, "block": [int(n) for n in block.split(",")], "shared": int(shared)}


def main():
    """Build every variant; exit status 1 when one fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--target", default="cuda")
    parser.add_argument("--shapes", type=Path, default=HERE / "kernel_shapes.json")
    parser.add_argument("--shape", action="append", default=[])
    chosen = parser.parse_args()
    shapes = json.loads(chosen.shapes.read_text()) if chosen.shapes.exists() else []
    shapes += [parse_shape(text) for text in chosen.shape]
    failed = 0
    for listing in sorted(HERE.rglob("*_kernels.json")):
        content = json.loads(listing.read_text())
        path = listing.with_name(content["module"])
        name = path.relative_to(HERE).with_suffix("").as_posix()
        jobs = [(e, v) for e, s in content["kernels"].items() for v in sorted(wanted(name, e, s, shapes))]
        module = load(path, chosen.target) if jobs else None
        for entry, variant in jobs:
            suffix = ".asc" if chosen.target == "ascend" else ".so"
            place = chosen.folder / name / ("-".join([entry, *map(str, variant)]) + suffix)
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                kernel = getattr(module, f"{entry}_kernel")(chosen.target, *variant)
                if chosen.target == "ascend":
                    place.write_text(kernel, encoding="utf-8")
                    continue
                made = kernel.adapter.lib_generator.get_lib_path()
                shutil.copyfile(made, f"{place}.new")
                os.replace(f"{place}.new", place)
            except Exception as error:
                failed += 1
                print(f"{place.name}: {type(error).__name__}: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
