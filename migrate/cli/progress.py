"""The progress line of a run; nothing at all when the output is no terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from migrate.pipeline.run import Listener, Progress, silent


@contextmanager
def showing(console: Console, total: int) -> Iterator[Listener]:
    """Gives a listener that draws a bar over ``total`` programs."""
    if not console.is_terminal:
        yield silent
        return
    columns = (
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=total)

        def listen(step: Progress) -> None:
            if step.stage == "done":
                bar.advance(task)
            else:
                bar.update(task, description=f"{step.program}: {step.stage}")

        yield listen
