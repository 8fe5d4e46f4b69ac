"""Builds the addresses of a workload and of a run; names are percent-encoded."""

from __future__ import annotations

from urllib.parse import quote


def workload_path(workload: str) -> str:
    """Returns the path of a workload's page, with the name percent-encoded.

    `a/b` is `/workload/a%2Fb`.
    """
    return f"/workload/{quote(workload, safe='')}"


def run_parameter(workload: str, run: str) -> str:
    """Returns how the `run` parameter of an address names a run: `workload/run`, both encoded."""
    return f"{quote(workload, safe='')}/{quote(run, safe='')}"
