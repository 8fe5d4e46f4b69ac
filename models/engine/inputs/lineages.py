"""Writes the chains of runs that resume one another, computed in Python (METHOD §1)."""

from __future__ import annotations

from models.engine.context import BuildContext
from models.engine.contract_tables import fill
from models.marts.work.lineages import resumes


def trace_lineages(context: BuildContext) -> None:
    """Writes `lineages`: for each run, the first run of the chain that it resumes."""
    query = "SELECT workload, run, resumed_from FROM run_registry"
    runs = context.backend.con.execute(query).fetchall()
    fill(context.backend, "lineages", [link._asdict() for link in resumes.lineages(runs)])
