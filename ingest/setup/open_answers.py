"""Asks again what a first config left open: where the bill is, and where progress is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ingest.setup.first_config import (
    BILL,
    EPOCHS,
    METRICS,
    InitAnswers,
    replace_config,
    write_places,
)
from ingest.setup.interview import KindOf, ask_places

KNOWN = "known"
"""Stands for an answer that the config has, so that it is neither asked for nor written."""


def complete_config(path: Path, given: InitAnswers, kind_of: KindOf) -> None:
    """Asks for the bill and progress where a config still has the template's examples; writes them.

    Whatever was edited by hand is an answer. Raises `click.Abort` on Ctrl-C, and then writes
    nothing; `ConfigError` for an answer that cannot be.
    """
    text = path.read_text(encoding="utf-8")
    bill = text.count(BILL) == 1 and "cost.source = " in text
    progress = text.count(EPOCHS) == text.count(METRICS) == 1
    progress &= not (path.absolute().parent / "epochs.csv").exists()
    if not bill and not progress:
        return
    asked = replace(
        given,
        bill=given.bill if bill else KNOWN,
        progress=given.progress if progress else KNOWN,
    )
    found = ask_places(asked, kind_of)
    answers = replace(
        found,
        bill=found.bill if bill else "",
        progress=found.progress if progress else "",
    )
    replace_config(path, write_places(text, answers))
