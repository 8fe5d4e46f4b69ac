"""Defines the subcommands for data: ingest, build, export, sql, lineage."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path

import click
from click.core import ParameterSource

from breakeven.loading import load_to_write
from breakeven.options import config_option, day_option, json_option, month_argument
from breakeven.output import progress_reporter, show
from models.config.loading import load
from models.config.settings import Settings
from models.contract.errors import BreakevenError
from models.records.audit import audited

STATEMENT, BRIEF = "statement", "brief"
FIGURES = "break_even, cost_per_epoch and savings_daily can be csv, json, parquet"
OPTIONS = {BRIEF: {"workload"}, STATEMENT: {"month", "version"}, "a table": {"month"}}
"""Which options choose what of an export."""


@click.command()
@config_option
@click.argument("source", nargs=-1)
@day_option("--from", "first", help="First UTC day.")
@day_option("--to", "last", help="Last UTC day, included.")
@json_option
def ingest(
    config: Path | None,
    source: tuple[str, ...],
    first: datetime | None,
    last: datetime | None,
    as_json: bool,
) -> None:
    """Pulls every configured SOURCE once, or only those that you name.

    Shipped prices are always pulled.

    Example: breakeven ingest focus --from 2026-09-01 --to 2026-09-30
    """
    from ingest.pull import pull, report_of
    from ingest.source import Window
    from ingest.sources import named_sources
    from models.engine.build import refresh
    from models.formats.bill.plausible_dates import FIRST_YEAR

    window = Window(first and first.date(), last and last.date())
    if window.first and window.first.year < FIRST_YEAR:
        raise click.UsageError(f"--from {window.first} is before AWS sent bills ({FIRST_YEAR})")
    if window.first and window.last and window.first > window.last:
        raise click.UsageError(f"--from {window.first} is after --to {window.last}")
    report = None
    try:
        settings = load_to_write(config)
        named_sources(settings, source)  # a mistaken config is refused before anything is recorded
        about = {"sources": source, "window": str(window)}
        with audited(settings.data, "ingest", about, role="admin"), progress_reporter() as tell:
            report = pull(settings, source, window, tell=tell)
            refresh(settings)
    except BreakevenError as error:
        if as_json:
            show([], report_of(error, report).documents(), as_json)
        raise
    counts = report.documents()
    lines = report.lines()
    lines += [f"{result.source}: {note}" for result in report.results for note in result.notices]
    show([*lines, *report.restated()], counts, as_json)
    report.raise_failures()


@click.command()
@config_option
@click.option(
    "--engine",
    type=click.Choice(["duckdb", "spark"]),
    default="duckdb",
    show_default=True,
    help="Engine that aggregates the bill's lines; everything else runs in DuckDB.",
)
@click.option(
    "--master", metavar="URL", help="Spark master, such as spark://host:7077; default: local[*]."
)
@json_option
def build(config: Path | None, engine: str, master: str | None, as_json: bool) -> None:
    """Computes every number and publishes a snapshot.

    It computes them from what was ingested so far.

    Example: breakeven build --engine spark --master spark://10.0.0.5:7077
    """
    from ingest.sources import configured
    from models.engine.build import build as derive
    from models.engine.spark import cluster as spark

    if master and engine != "spark":
        raise click.UsageError("--master needs --engine spark")
    settings = load_to_write(config)
    configured(settings)  # a mistyped source would be left out of every number
    elsewhere = spark.cluster(master or spark.HERE, settings.data) if engine == "spark" else None
    about = {"engine": engine, "master": master}
    with audited(settings.data, "build", about), elsewhere or nullcontext() as cluster:
        built = derive(settings, cluster=cluster)
    show(built.lines(), built.document(), as_json)


@click.command()
@config_option
@click.argument("name")
@click.option("--month", metavar="YYYY-MM", callback=month_argument, help="Only this month's rows.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["csv", "json", "parquet", "xlsx", "pdf"]),
    default="csv",
    show_default=True,
    help="File format; xlsx is for `statement` alone, pdf for `statement` and `brief`.",
)
@click.option(
    "--output", type=click.Path(path_type=Path), help="Write to this file instead of stdout."
)
@click.option(
    "--version",
    "number",
    type=click.IntRange(1),
    help="Version of the close, for `statement`; default: the newest.",
)
@click.option("--workload", metavar="NAME", help="The workload that the brief is about.")
def export(
    config: Path | None,
    name: str,
    month: str | None,
    kind: str,
    output: Path | None,
    number: int | None,
    workload: str | None,
) -> None:
    """Exports a table, a month's statement, or a workload's brief.

    NAME is a published mart, a table that explains one (such as
    over_allocated_periods), or delivered data: charges, progress, prices,
    capacity, jobs or utilisation. `statement` is a month's statement for finance,
    `brief` a page about one workload, as PDF.

    \b
    Example: breakeven export monthly_summary --month 2026-09 --format json
             breakeven export statement --month 2026-09 --format xlsx --output september.xlsx
             breakeven export brief --workload atlas-7b --output atlas-7b.pdf
    """
    from models.documents.exports.export import write

    paper = kind in ("xlsx", "pdf")
    _refuse_unused(name, {"month": month, "version": number, "workload": workload}, paper)
    if name == BRIEF:
        asked = click.get_current_context().get_parameter_source("kind")
        if kind != "pdf" and asked is not ParameterSource.DEFAULT:
            raise click.UsageError(f"a brief can be pdf, not {kind}; its figures: {FIGURES}")
        _brief(load(config), workload, output)
        return
    if paper and name not in (STATEMENT, "monthly_summary"):
        raise click.UsageError(f"{kind} is for `{STATEMENT}`; {name} can be csv, json, parquet")
    if output is None and (kind == "parquet" or paper or (name == STATEMENT and kind == "csv")):
        raise click.UsageError(f"{kind} needs --output FILE")
    if name == STATEMENT or paper:
        from models.documents import statement_files

        statement_files.write(load(config), month, kind, output, number)
        if output and kind in statement_files.ENDS and output.suffix == f".{kind}":
            name = output.with_suffix(f".{statement_files.ENDS[kind]}").name
            click.echo(f"{output} is a zip of tables: {name} would say so", err=True)
        return
    write(load(config), name, month, kind, output)


def _refuse_unused(name: str, given: Mapping[str, object], paper: bool) -> None:
    """Raises `UsageError` for a given option that does not apply to what is exported."""
    of = BRIEF if name == BRIEF else STATEMENT if paper or name == STATEMENT else "a table"
    for option, value in given.items():
        if value is not None and option not in OPTIONS[of]:
            raise click.UsageError(f"--{option} says nothing of {name}: leave it out")


def _brief(settings: Settings, workload: str | None, output: Path | None) -> None:
    from dashboard.server.briefs import write_brief

    if workload is None or output is None:
        raise click.UsageError("a brief needs --workload NAME and --output FILE.pdf")
    write_brief(settings, workload, output)


@click.command()
@config_option
@click.argument("name")
@click.option(
    "--dialect",
    type=click.Choice(["duckdb", "spark", "athena", "trino"]),
    default="duckdb",
    show_default=True,
    help="SQL dialect of the engine that is to run it.",
)
def sql(config: Path | None, name: str, dialect: str) -> None:
    """Shows the SQL of a mart.

    DuckDB can express every mart; the other dialects most of them.

    Example: breakeven sql spend_reduced --dialect athena
    """
    from models.engine.sql import mart_sql

    click.echo(mart_sql.sql_of_mart(name, load(config), dialect))


@click.command()
@config_option
@click.argument("name")
@json_option
def lineage(config: Path | None, name: str, as_json: bool) -> None:
    """Lists what a mart or a column of one is computed from.

    NAME is a mart, or a column of one, such as break_even.roi. Each step is listed with its file
    and its meaning, down to the delivered columns. For a column, the columns that filter, join or
    group its rows are listed as well.

    Example: breakeven lineage break_even.runs_to_break_even
    """
    from models.engine.lineage.lineage import lineage as traced

    way = traced(name, load(config))
    show(way.lines(), way.document(), as_json)
