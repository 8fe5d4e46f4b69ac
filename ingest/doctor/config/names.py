"""Warns of workloads, runs and accounts in the config without data, and unknown instance types.

An unknown name is only a warning, because its first data may arrive tomorrow. The check needs a
snapshot, which shows the known names.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from ingest.doctor.examination import Examination
from ingest.doctor.finding import Finding
from models.config.settings import Settings
from models.contract import catalogue

NAME = "names"
NOWHERE = "no spend and no progress has it"
KNOWN = """
SELECT 'workload' AS kind, workload AS name FROM spend_daily UNION
SELECT 'workload', workload FROM progress_daily UNION
SELECT 'run', run FROM spend_daily UNION SELECT 'run', run FROM progress_daily UNION
SELECT 'account', account FROM spend_daily UNION
SELECT 'account', billing_account FROM spend_daily"""
Named = tuple[str, str, str]
"""The kind of thing, its name, and the table of the config that names it."""


def check_names(exam: Examination) -> Iterator[Finding]:
    """Warns of workloads, runs, accounts in the config without data, and unknown instance types.

    Data are spend and progress; an instance type is unknown if the catalogue of accelerators lacks
    it.
    """
    rows = [row for row in exam.snapshot_rows(KNOWN) or [] if row["name"]]
    known = {kind: {r["name"] for r in rows if r["kind"] == kind} for kind in _KINDS}
    known["instance type"] = {one.instance_type for one in catalogue.accelerators()}
    for (kind, name), tables in _once(exam).items():
        if known[kind] and name not in known[kind]:
            yield _unknown(kind, name, tables, known[kind])


_KINDS = ("workload", "run", "account")


def _unknown(kind: str, name: str, tables: list[str], known: set[str]) -> Finding:
    where = ", ".join(dict.fromkeys(tables))
    lacks = NOWHERE if kind in _KINDS else "the catalogue of accelerators does not have it"
    close = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.6)
    remedy = f'did you mean "{close[0]}"?' if close else f"correct it in {where}"
    return Finding(NAME, f'{kind} "{name}"', "warning", f"{where} names it, and {lacks}", remedy)


def _once(exam: Examination) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for kind, name, where in (*_of_config(exam.settings), *_of_sources(exam)):
        found.setdefault((kind, name), []).append(where)
    return found


def _of_config(settings: Settings) -> Iterator[Named]:
    tables = ("workloads", "investments", "runs", "tag_rules", "capacity_blocks", "invoices")
    words = {"workload": "workload", "run": "run", "resumed_from": "run", "account": "account"}
    words["instance_type"] = "instance type"
    for table in tables:
        for entry in getattr(settings, table):
            own = {**words, "name": "workload"} if table == "workloads" else words
            for word, kind in own.items():
                if name := getattr(entry, word, None):
                    yield kind, name, f"[[{table}]]"


def _of_sources(exam: Examination) -> Iterator[Named]:
    for source in exam.sources:
        if workload := getattr(source.options, "workload", None):
            yield "workload", workload, f"[[sources]] {source.name}"
        types = getattr(source.options, "instance_types", ())
        # a table of them was checked as the config was read: its keys are patterns of node names
        for one in () if isinstance(types, dict) else types:
            yield "instance type", one, f"[[sources]] {source.name}"
