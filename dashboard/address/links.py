"""A row per workload: where it stands and what to do next."""

from __future__ import annotations

from urllib.parse import quote


def workload_path(workload: str) -> str:
    """The address of a workload's page; its name may hold anything."""
    return f"/workload/{quote(workload, safe='')}"


def run_parameter(workload: str, run: str) -> str:
    """How the address names a run; either name may hold anything."""
    return f"{quote(workload, safe='')}/{quote(run, safe='')}"
