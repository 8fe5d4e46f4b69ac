"""All tables that a build fills before it reduces: config, blocks, bills and their totals."""

from __future__ import annotations

from models.engine.context import BuildContext
from models.engine.contract_tables import fill
from models.engine.inputs import runs_hidden_by_grouping
from models.engine.inputs.bill_totals import bill_totals
from models.engine.inputs.billing_periods import delivered_months, gross_bills, member_bills
from models.engine.inputs.config import accounts, investments, workloads
from models.marts.cost.capacity_blocks import known_blocks as capacity


def fill_all(context: BuildContext) -> None:
    """The config's tables and the totals to tie out against."""
    backend, settings, bills = context.backend, context.settings, context.bills
    fill(backend, "config_runs", [run.model_dump() for run in settings.runs])
    fill(backend, "config_workloads", list(workloads(settings)))
    fill(backend, "config_investments", list(investments(settings)))
    fill(backend, "config_accounts", list(accounts(settings)))
    rows = [backend.con.execute(sql).fetchall() for sql in (capacity.TOLD, capacity.LONGER)]
    told = capacity.told(*rows)
    every = capacity.known(settings.capacity_blocks, told)
    fill(backend, "known_blocks", [block.row() for block in every])
    fill(backend, "gross_bills", list(gross_bills(backend, bills)))
    fill(backend, "member_bills", list(member_bills(bills, settings)))
    fill(backend, "delivered_months", list(delivered_months(bills)))
    fill(backend, "untold", list(runs_hidden_by_grouping.runs(backend, bills)))
    fill(backend, "bill_totals", list(bill_totals(context)))
