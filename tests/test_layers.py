"""Each contract of the layers fails for an import that it forbids: one is planted for each."""

from __future__ import annotations

import copy
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import grimp
import pytest
from importlinter.application.use_cases import _register_contract_types, read_user_options
from importlinter.configuration import configure
from importlinter.domain.contract import registry

ROOT = Path(__file__).parent.parent

PLANTED = {
    "the command wires dashboard and ingest, which stand on models, never on each other": (
        "models.contract.errors",
        "ingest.schedule",
    ),
    "sources are independent of each other": (
        "ingest.sources.market.prices",
        "ingest.sources.bill.cost_explorer",
    ),
    "in ingest no import runs up: a source knows no pull, access to AWS knows no source": (
        "ingest.aws",
        "ingest.sources",
    ),
    "the checks of doctor know each other by its order only": (
        "ingest.doctor.finding",
        "ingest.doctor.bill",
    ),
    "the emitter is copied alone, so it imports nothing of ours": (
        "ingest.emit",
        "models.contract.errors",
    ),
    "in models no import runs up": ("models.raw.zone", "models.engine.build"),
    "chapters of marts know each other's tables by name only": (
        "models.marts.work.progress.samples",
        "models.marts.cost.spend_daily",
    ),
    "packages of formats are independent of each other": (
        "models.formats.bill.focus",
        "models.formats.market.prices",
    ),
    "formats and marts are pure": ("models.marts", "duckdb"),
    "charts and widgets draw, they do not read": (
        "dashboard.widgets.card",
        "dashboard.snapshot.rows",
    ),
    "only the warehouse opens DuckDB": ("dashboard.snapshot.rows", "duckdb"),
    "pages are independent of each other": (
        "dashboard.pages.rates.page",
        "dashboard.pages.runs.queries",
    ),
    "the dashboard stands in layers": ("dashboard.snapshot.rows", "dashboard.pages.runs.queries"),
}
"""Contract → an import that breaks it: who imports, and what."""

configure()
OPTIONS = read_user_options(str(ROOT / "pyproject.toml"))
_register_contract_types(OPTIONS)
CONTRACTS = {options["name"]: options for options in OPTIONS.contracts_options}


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    return grimp.build_graph(
        *OPTIONS.session_options["root_packages"], include_external_packages=True, cache_dir=None
    )


def kept(name: str, imports: grimp.ImportGraph) -> bool:
    """Whether a contract holds; it is checked on a copy, which loses the imports it ignores."""
    options: dict[str, Any] = CONTRACTS[name]
    contract = registry.get_contract_class(options["type"])(
        name=name, session_options=OPTIONS.session_options, contract_options=options
    )
    return contract.check(copy.deepcopy(imports), verbose=False).kept


def in_order(imports: grimp.ImportGraph) -> None:
    """Raises `CycleError` where modules import each other, be it for the types alone."""
    graph = {name: imports.find_modules_directly_imported_by(name) for name in imports.modules}
    TopologicalSorter(graph).prepare()


def test_no_imports_go_in_a_circle(imports: grimp.ImportGraph) -> None:
    in_order(imports)
    back = {"importer": "models.contract.errors", "imported": "models.raw.zone"}
    imports.add_import(**back)
    try:
        with pytest.raises(CycleError):
            in_order(imports)
    finally:
        imports.remove_import(**back)


def assert_forbidden(name: str, importer: str, imported: str, imports: grimp.ImportGraph) -> None:
    """A contract fails for an import between modules that exist."""
    assert {importer, imported} <= imports.modules
    imports.add_import(importer=importer, imported=imported)
    try:
        assert not kept(name, imports)
    finally:
        imports.remove_import(importer=importer, imported=imported)


def test_an_import_is_planted_for_every_contract() -> None:
    assert set(PLANTED) == set(CONTRACTS)


@pytest.mark.parametrize("name", PLANTED)
def test_a_contract_holds_and_fails_for_an_import_that_it_forbids(
    name: str, imports: grimp.ImportGraph
) -> None:
    assert kept(name, imports)
    assert_forbidden(name, *PLANTED[name], imports)


@pytest.mark.parametrize(
    ("name", "importer", "imported"),
    [
        (
            "charts and widgets draw, they do not read",
            "dashboard.charts.frame",
            "models.engine.warehouse.connection",
        ),
        ("only the warehouse opens DuckDB", "models.intake.file_checks", "duckdb"),
        ("only the warehouse opens DuckDB", "models.engine.starting_points", "duckdb"),
        ("only the warehouse opens DuckDB", "models.forecast.what_if", "duckdb"),
    ],
)
def test_a_contract_reaches_every_module_of_a_package(
    name: str, importer: str, imported: str, imports: grimp.ImportGraph
) -> None:
    assert_forbidden(name, importer, imported, imports)


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("models.contract.errors", "models.config.settings"),
        ("models.config.settings", "models.raw.zone"),
        ("models.raw.zone", "models.formats.bill.focus"),
        ("models.raw.zone", "models.records.closes"),
        ("models.raw.zone", "models.forecast.what_if"),
        ("models.formats.fields", "models.engine.build"),
        ("models.formats.fields", "models.marts.cost.spend_daily"),
        ("models.marts.cost.spend_daily", "models.engine.build"),
        ("models.marts.cost.spend_daily", "models.formats.fields"),
        ("models.marts.cost.spend_daily", "models.forecast.what_if"),
        ("models.marts.cost.spend_daily", "models.records.closes"),
        ("models.records.closes", "models.engine.build"),
        ("models.forecast.what_if", "models.engine.build"),
        ("models.engine.build", "models.intake.file_checks"),
        ("models.intake.file_checks", "models.closing.closing"),
        ("models.closing.closing", "models.documents.wording"),
        ("models.documents.wording", "models.sending.sending"),
    ],
)
def test_no_import_of_models_runs_up(
    importer: str, imported: str, imports: grimp.ImportGraph
) -> None:
    assert_forbidden("in models no import runs up", importer, imported, imports)


@pytest.mark.parametrize(
    "importer",
    [
        "dashboard.server.app", "ingest.schedule", "models.sending.sending", "models.engine.build",
        "models.engine.mart_runner", "models.engine.sql.mart_sql", "models.engine.reduction",
        "models.raw.zone",
    ],
)  # fmt: skip
def test_only_the_warehouse_may_import_duckdb(importer: str, imports: grimp.ImportGraph) -> None:
    assert_forbidden("only the warehouse opens DuckDB", importer, "duckdb", imports)


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("dashboard.widgets.card", "boto3"),
        ("dashboard.charts.frame", "duckdb"),
        ("dashboard.charts.frame", "dashboard.snapshot.rows"),
    ],
)
def test_charts_and_widgets_may_not_import_what_reads(
    importer: str, imported: str, imports: grimp.ImportGraph
) -> None:
    assert_forbidden("charts and widgets draw, they do not read", importer, imported, imports)


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("dashboard.address.view", "dashboard.wording.format"),
        ("dashboard.wording.format", "dashboard.charts.frame"),
        ("dashboard.charts.frame", "dashboard.widgets.card"),
        ("dashboard.charts.frame", "dashboard.snapshot.rows"),
        ("dashboard.widgets.card", "dashboard.pages.runs.page"),
        ("dashboard.pages.runs.page", "dashboard.server.app"),
    ],
)
def test_no_import_of_the_dashboard_runs_up(
    importer: str, imported: str, imports: grimp.ImportGraph
) -> None:
    assert_forbidden("the dashboard stands in layers", importer, imported, imports)


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("ingest.billing_months", "ingest.paid_requests"),
        ("ingest.paid_requests.ledger", "ingest.source"),
        ("ingest.source", "ingest.aws.sessions"),
        ("ingest.aws.sessions", "ingest.files.store"),
        ("ingest.files.store", "ingest.sources.market.prices"),
        ("ingest.sources.bill.cost_explorer.read", "ingest.pull.journal"),
        ("ingest.pull.one_pull", "ingest.schedule.due"),
        ("ingest.schedule.due", "ingest.estimate.month"),
        ("ingest.estimate.month", "ingest.doctor.examination"),
        ("ingest.doctor.examination", "ingest.setup.first_config"),
    ],
)
def test_no_import_of_ingest_runs_up(
    importer: str, imported: str, imports: grimp.ImportGraph
) -> None:
    name = "in ingest no import runs up: a source knows no pull, access to AWS knows no source"
    assert_forbidden(name, importer, imported, imports)
