"""Chains of resumed runs."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from models.marts.work.lineages.resumes import lineages

NAMES = st.sampled_from("abcdef")


def test_a_chain_belongs_to_its_first_run() -> None:
    found = lineages([("w", "c", "b"), ("w", "b", "a"), ("w", "a", None), ("v", "b", "a")])
    assert [(link.workload, link.run, link.lineage, link.resumes) for link in found] == [
        ("w", "c", "a", True),
        ("w", "b", "a", True),
        ("w", "a", "a", False),
        ("v", "b", "b", False),
    ]


@settings(max_examples=200, derandomize=True)
@given(st.dictionaries(NAMES, st.none() | NAMES, min_size=1))
def test_every_run_has_one_lineage_whatever_the_order(parents: dict[str, str | None]) -> None:
    runs = [("w", run, parent) for run, parent in parents.items()]
    forward = {link.run: link for link in lineages(runs)}
    backward = {link.run: link for link in lineages(reversed(runs))}
    assert forward == backward
    assert set(forward) == set(parents)
    for link in forward.values():
        assert link.lineage in parents
        assert link.resumes == (link.lineage != link.run)
