"""``python -m migrate``: the same as the ``cudamigrate`` command."""

from __future__ import annotations

from migrate.cli.app import main

main()
