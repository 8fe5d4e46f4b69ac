"""Which run continued which: chains of resumed runs, walked in Python (METHOD §1)."""

from __future__ import annotations

from models.engine.context import BuildContext
from models.engine.contract_tables import fill
from models.marts.work.lineages import resumes


def trace_lineages(context: BuildContext) -> None:
    """Fills `lineages`: the first run of the chain of resumed runs that each run belongs to."""
    query = "SELECT workload, run, resumed_from FROM run_registry"
    runs = context.backend.con.execute(query).fetchall()
    fill(context.backend, "lineages", [link._asdict() for link in resumes.lineages(runs)])
