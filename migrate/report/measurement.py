"""The JSON that a measurement is stored as: what was run, when and with what, then its rows."""

from __future__ import annotations

import json
from collections.abc import Mapping


def measurement_text(
    title: str,
    date: str,
    command: str,
    tools: tuple[tuple[str, str], ...],
    rows: Mapping[str, object],
) -> str:
    """``tools`` are names and versions, ``rows`` the fields behind the common ones."""
    data = {
        "title": title,
        "date": date,
        "command": command,
        "tools": [list(t) for t in tools],
        **rows,
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"
