"""Folders that count as one run, and begin anew."""

from __future__ import annotations

from ingest.trackers.merged_folders import notices

SINGLE = {("c", "{}"): {"c/0": 7}, ("d", "{}"): {}}


def test_folders_of_a_run_that_begin_where_the_first_does_are_told_of() -> None:
    """A restart goes on at a later step; of two restarts from one step nobody is told."""
    runs = {("b", "{}"): {"b/1": 5, "b/0": 5, "b/2": 9}, ("a", "{}"): {"a/0": 1, "a/1": 2}}
    (told,) = notices({**SINGLE, **runs, ("e", "{}"): {"e/0": 0, "e/1": 3, "e/2": 3}}, "{run}")
    assert told == (
        "2 folders of b begin at the same step, such as b/1: if each is a run of its own, "
        'set `path`, such as path = "{run}"'
    )
    assert list(notices(SINGLE, "{run}")) == []


def test_one_run_stands_for_all_such_and_runs_of_equal_name_in_two_workloads_are_two() -> None:
    runs = {("a", tags): {f"{tags}/0": 0, f"{tags}/1": 0} for tags in ("w", "v", "x")}
    (told,) = notices(runs, "{run}")
    assert ", such as v/1 (and those of 2 other runs): if each" in told
