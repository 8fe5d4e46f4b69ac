"""Builds the addresses of a workload, a run and a pool; names are percent-encoded."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from dashboard.address.view import View


def workload_path(workload: str) -> str:
    """Returns the URL path of a workload's page, with the name percent-encoded.

    For example, the path of `a/b` is `/workload/a%2Fb`.
    """
    return f"/workload/{quote(workload, safe='')}"


def run_parameter(workload: str, run: str) -> str:
    """Returns the value of the URL parameter `run`: `workload/run`, each name percent-encoded."""
    return f"{quote(workload, safe='')}/{quote(run, safe='')}"


def run_address(workload: str, run: str) -> str:
    """Returns the URL of the Runs page with the panel of one run open."""
    return f"/runs?{urlencode({'run': run_parameter(workload, run)})}"


def clusters_address(view: View, pool: str, workload: str = "") -> str:
    """Returns the URL of Clusters for a machine pool, a page's days and, if given, a workload."""
    query = (
        ("pool", pool),
        ("workload", workload),
        ("from", view.start.isoformat() if view.start else ""),
        ("to", view.end.isoformat() if view.end else ""),
    )
    return f"/clusters?{urlencode([(name, value) for name, value in query if value])}"


def runs_address(view: View, workload: str) -> str:
    """Returns the URL of the Runs page, filtered to a workload and a page's date range."""
    query = (
        ("where", f"workload={workload}"),
        ("from", view.start.isoformat() if view.start else ""),
        ("to", view.end.isoformat() if view.end else ""),
    )
    return f"/runs?{urlencode([(name, value) for name, value in query if value])}"
