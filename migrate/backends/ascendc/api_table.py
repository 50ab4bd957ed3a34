"""What the vendor's API offers: names and numbers of arguments.

Read from ``rules/targets/api``, our own tables of the facts in the vendor's headers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

import yaml

from migrate.core.resources import data_dir

Arities = frozenset[int]
"""Numbers of arguments; empty for any number."""


@dataclass(frozen=True, slots=True)
class ApiTable:
    """``device`` and ``host`` functions with the numbers of arguments that they take; ``names`` are
    qualifiers, types and constants."""

    device: Mapping[str, Arities]
    host: Mapping[str, Arities]
    names: frozenset[str]


def load_api_table() -> ApiTable:
    """The table of Ascend 950."""
    path = data_dir("rules") / "targets" / "api" / "ascend950.yaml"
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    device: dict[str, Arities] = {}
    for by_count in data["simt_api"].values():
        _merge(device, by_count)
    for name, count in data["functions"].items():
        device[str(name)] = _counts(str(count))
    host: dict[str, Arities] = {}
    _merge(host, data["acl"])
    names = frozenset(f"{data['acl_names']} {data['words']}".split())
    return ApiTable(device, host, names)


@dataclass(frozen=True, slots=True)
class VectorTable:
    """The vector API of Ascend 910B.

    ``functions`` and ``members`` of its objects have the numbers of arguments that they take;
    ``enumerators`` have their values.
    """

    functions: Mapping[str, Arities]
    members: Mapping[str, Arities]
    types: frozenset[str]
    enumerators: Mapping[str, frozenset[str]]


def load_vector_table() -> tuple[VectorTable, ApiTable]:
    """The vector API of Ascend 910B, and AscendCL and plain names of its device code."""
    path = data_dir("rules") / "targets" / "api" / "ascend910b.yaml"
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    functions: dict[str, Arities] = {}
    members: dict[str, Arities] = {}
    _merge(functions, data["vector_api"])
    _merge(members, data["members"])
    values = {str(n): frozenset(str(v).split()) for n, v in data["enumerators"].items()}
    vector = VectorTable(functions, members, frozenset(data["types"].split()), values)
    other = load_api_table()
    host = dict(other.host)
    _merge(host, data["acl"])
    device: dict[str, Arities] = {}
    _merge(device, data["functions"])
    names = other.names | frozenset(data["acl_names"].split())
    return vector, ApiTable(device, host, names)


def _merge(table: dict[str, Arities], by_count: Mapping[object, object]) -> None:
    for count, name in _pairs(by_count):
        table[name] = table.get(name, frozenset()) | _counts(count)


def _pairs(by_count: Mapping[object, object]) -> Iterator[tuple[str, str]]:
    for count, names in by_count.items():
        for name in cast("str", names).split():
            yield str(count), name


def _counts(text: str) -> Arities:
    return frozenset() if text == "any" else frozenset(int(n) for n in text.split())
