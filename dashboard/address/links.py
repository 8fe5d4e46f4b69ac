"""Builds the addresses of a workload and of a run; names are percent-encoded."""

from __future__ import annotations

from urllib.parse import quote


def workload_path(workload: str) -> str:
    """Returns the URL path of a workload's page, with the name percent-encoded.

    For example, the path of `a/b` is `/workload/a%2Fb`.
    """
    return f"/workload/{quote(workload, safe='')}"


def run_parameter(workload: str, run: str) -> str:
    """Encodes workload and run as the URL parameter `run`: `workload/run`, percent-encoded."""
    return f"{quote(workload, safe='')}/{quote(run, safe='')}"
