from __future__ import annotations

from urllib.parse import unquote

from dashboard.address.links import path_of


def test_a_workload_name_survives_in_an_address() -> None:
    name = "a/b <b>50 %</b>?x=1#y"
    assert unquote(path_of(name).removeprefix("/workload/")) == name
    assert "/" not in path_of(name).removeprefix("/workload/")
