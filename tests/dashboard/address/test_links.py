from __future__ import annotations

from urllib.parse import unquote

from dashboard.address.links import workload_path


def test_a_workload_name_survives_in_an_address() -> None:
    name = "a/b <b>50 %</b>?x=1#y"
    assert unquote(workload_path(name).removeprefix("/workload/")) == name
    assert "/" not in workload_path(name).removeprefix("/workload/")
