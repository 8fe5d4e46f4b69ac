"""The cause of an adjustment names sources as people call them."""

from __future__ import annotations

import pytest

from ingest.sources import SOURCES as KINDS
from models.documents.wording import SOURCES, plain_cause


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        ("progress_file was delivered again", "progress in files was delivered again"),
        (
            "AWS restated 2025-06 of 1: billed +0.20; slurm told later who held machines of hpc on "
            "2026-07-02; mlflow was delivered again",
            "AWS restated 2025-06 of 1: billed +0.20; Slurm told later who held machines of hpc on "
            "2026-07-02; progress in MLflow was delivered again",
        ),
        ("our_own was delivered again", "our_own was delivered again"),
        ("the configuration changed (tags)", "the configuration changed (tags)"),
    ],
)
def test_a_kind_of_source_is_said_in_words_and_a_name_of_ones_own_kept(
    cause: str, said: str
) -> None:
    assert plain_cause(cause) == said


def test_every_kind_of_source_has_words() -> None:
    assert {source.kind for source in KINDS} == set(SOURCES)
