"""Explanations of numbers: their keys in addresses, and that no fact is left empty."""

from __future__ import annotations

import re

import pytest

from dashboard.wording.explanations import EVERY, EXPLAINED, clusters, trust
from dashboard.wording.explanations.explanation import Explanation


@pytest.mark.parametrize(
    ("title", "key"),
    [
        ("Net savings", "net-savings"),
        ("GPU today, $ per epoch", "gpu-today-per-epoch"),
        ("(80 %) What if?", "what-if"),
    ],
)
def test_a_title_becomes_a_key_that_an_address_can_hold(title: str, key: str) -> None:
    assert Explanation(title, "", "", "", ()).key == key


@pytest.mark.parametrize("of", EVERY, ids=lambda of: of.key)
def test_an_explanation_answers_each_question(of: Explanation) -> None:
    assert all(text.strip() for text in (of.what, of.formula, of.window, of.basis, of.leaves_out))
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", of.key)
    assert EXPLAINED[of.key] is of


POOLED = (clusters.USE, clusters.POOLS, clusters.HOLDERS, clusters.JOBS, trust.CLUSTER_COVERAGE)


@pytest.mark.parametrize("of", POOLED, ids=lambda of: of.key)
def test_a_run_tag_takes_no_machine_out_of_its_cluster(of: Explanation) -> None:
    """METHOD §2.10.6: a run holds its pool by its tag, too; the marts count these hours."""
    assert "machines that bear a run's tag" not in of.leaves_out.lower()
    assert of.leaves_out.endswith("Machines that bear the tag of a run and of no cluster.")
