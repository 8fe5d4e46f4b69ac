"""The command: one sub-command per verb. It wires the packages and holds no logic of its own."""

from __future__ import annotations

import getpass
import logging
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.progress import Progress

from models.config.settings import DEFAULT_FILE, PREFIX, Settings, load
from models.contract.errors import BreakevenError, ConfigError
from models.contract.shipped_data import shipped
from models.forecast.what_if import HORIZON

SAMPLE = shipped("sample/breakeven.toml")
STATEMENT = "statement"
ENDING, GRACE = 3.0, 15.0
"""Seconds that a process gets to end by itself, and after it was asked to."""
Verb = TypeVar("Verb", bound=Callable[..., Any])


class Verbs(click.Group):
    """A stated failure is a line on stderr and exit 1; a wrong call is click's, exit 2."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's own signature
        """Runs the verb."""
        try:
            return super().invoke(ctx)
        except BreakevenError as error:
            for line in error.lines:
                click.echo(f"breakeven: {line}", err=True)
            ctx.exit(1)


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="breakeven")
def main() -> None:
    """Has moving training from GPU to Trainium paid for itself, and if not, when will it?

    \b
    breakeven demo                      the bundled sample, on http://127.0.0.1:8050
    breakeven init                      a commented breakeven.toml to start from
    breakeven ingest && breakeven build && breakeven serve
    """
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO)
    for noisy in ("botocore", "werkzeug"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    # what it warns of, a run that is left out, `ingest.schedule` says in our words
    logging.getLogger("apscheduler").setLevel(logging.ERROR)
    # `models.sending.sending` says who was not sent what, and why
    logging.getLogger("apprise").setLevel(logging.CRITICAL)
    # it tells a refused role with a traceback; we say the same in one line
    logging.getLogger("botocore.credentials").setLevel(logging.ERROR)


def configured(verb: Verb) -> Verb:
    """Adds `--config`."""
    return click.option(
        "--config",
        type=click.Path(path_type=Path),
        help=f"The config; else $BREAKEVEN_CONFIG, else ./{DEFAULT_FILE}.",
    )(verb)


def listening(verb: Verb) -> Verb:
    """Adds `--host --port --workers`."""
    for option in (
        click.option("--workers", default=2, show_default=True, type=click.IntRange(1, 64)),
        click.option("--port", default=8050, show_default=True, type=click.IntRange(1, 65535)),
        click.option("--host", default="127.0.0.1", show_default=True),
    ):
        verb = option(verb)
    return verb


class Number(click.ParamType[Decimal]):
    """An exact decimal between two bounds."""

    name = "number"

    def __init__(self, low: str = "-1e15", high: str = "1e15") -> None:
        self.low, self.high = Decimal(low), Decimal(high)

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Decimal:
        """The decimal that was written."""
        try:
            found = Decimal(str(value))
        except InvalidOperation:
            self.fail(f"{value!r} is not a plain decimal number", param, ctx)
        if found.is_finite() and self.low <= found <= self.high:
            return found
        return self.fail(f"{value} is not between {self.low:f} and {self.high:f}", param, ctx)


def a_month(_: click.Context, __: click.Parameter, value: str) -> str:
    """A month as the product writes it."""
    from models import documents

    if not documents.is_month(value):
        raise click.BadParameter(f"{value!r} is not YYYY-MM")
    return value


def assuming(verb: Verb) -> Verb:
    """Adds what a what-if may assume."""
    dollars, change, discount = Number("0"), Number("-1", "1"), Number("0", "1")
    options: tuple[tuple[str, Number, str], ...] = (
        ("--gpu-cost-per-run", dollars, "Dollars that a run costs on GPU today."),
        ("--gpu-cost-per-epoch", dollars, "The same for an epoch."),
        ("--trn-cost-per-run", dollars, "Dollars that a run costs on Trainium today."),
        ("--trn-cost-per-epoch", dollars, "The same for an epoch."),
        ("--epochs-per-run", Number("0.000001"), "Epochs that a run trains."),
        ("--runs-per-month", Number("0.000001"), "How often it is trained."),
        ("--porting-cost", dollars, "Dollars that the move costs once."),
        ("--upkeep-per-month", dollars, "Dollars that it costs every month."),
        ("--saved-so-far", Number(), "Dollars that earlier runs have saved net."),
        ("--gpu-price-change", change, "A fraction: -0.33 is a third cheaper."),
        ("--trn-price-change", change, "The same on Trainium."),
        ("--gpu-discount", discount, "A fraction off, beyond what today's cost carries."),
        ("--trn-discount", discount, "The same on Trainium."),
    )
    for flag, kind, meaning in reversed(options):
        verb = click.option(flag, type=kind, help=meaning)(verb)
    return verb


@main.command()
@click.option(
    "--port", default=8050, show_default=True, envvar="PORT", type=click.IntRange(1, 65535)
)
def demo(port: int) -> None:
    """Builds the bundled sample in a scratch folder and serves it.

    Example: PORT=9000 breakeven demo
    """
    from dashboard import server
    from ingest.pull import pull
    from models.engine.build import build

    server.check_free("127.0.0.1", port)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with tempfile.TemporaryDirectory(prefix="breakeven-demo-") as folder:
        override = {"BREAKEVEN_WAREHOUSE__PATH": f"{folder}/warehouse.duckdb"}
        settings = load(SAMPLE, override)
        with told_progress() as tell:
            pull(settings, tell=tell).raise_failures()
        build(settings)
        click.echo(f"Simulated usage, real prices. Files: {folder} (removed when this stops)")
        ours = {k: v for k, v in os.environ.items() if not k.startswith(PREFIX)} | override
        serving = ["serve", "--config", str(SAMPLE), "--port", str(port)]
        sys.exit(together(serving, environ=ours))


def starting(verb: Verb) -> Verb:
    """Adds what a first config may be told."""
    options: tuple[tuple[str, str], ...] = (
        ("--bill", "A folder, s3://bucket/prefix/export, or cost_explorer."),
        ("--workload-tag", "The tag that names the workload."),
        ("--run-tag", "The tag that names the run."),
        ("--progress", "A file, a folder, MLflow's address, cloudwatch or sagemaker."),
        ("--region", "Where training runs: of cloudwatch, sagemaker and --detect."),
    )
    for flag, meaning in reversed(options):
        verb = click.option(flag, default="", help=meaning)(verb)
    return verb


@main.command()
@configured
@starting
@click.option(
    "--kind", type=click.Choice(["focus", "cur2"]), default="focus", help="What export the bill is."
)
@click.option("--detect", is_flag=True, help="Look at AWS for exports, tags ($0.01) and workloads.")
@click.option("--ask/--no-ask", default=None, help="Ask what is not given; else on a terminal.")
@click.option("--force", is_flag=True, help="Replace a config that is there already.")
def init(
    config: Path | None,
    detect: bool,
    ask: bool | None,
    force: bool,
    **given: Any,  # noqa: ANN401 - the words of `Starter`
) -> None:
    """Writes a commented breakeven.toml from what is given, seen and answered.

    Example: breakeven init --detect
    """
    from ingest.requests import Ledger
    from ingest.setup.interview import left, started
    from ingest.setup.starter import Starter, write
    from models.config.settings import Cost

    path = config or Path(DEFAULT_FILE)
    asks = sys.stdin.isatty() if ask is None else ask
    purse = Ledger(path.absolute().parent / "data", Cost().api_budget_usd_per_day)
    found = write(
        path, lambda: started(Starter(**given), asks=asks, detect=detect, purse=purse), force=force
    )
    left(found)
    click.echo(f"Wrote {path}. Next: breakeven doctor, then breakeven ingest && breakeven build")


@main.command()
@configured
@click.option("--json", "as_json", is_flag=True, help="For machines.")
def doctor(config: Path | None, as_json: bool) -> None:
    """Says what is missing, one line a check, and how to put it right; exit 1 if something blocks.

    Changes nothing. A tag that no bill shows yet is asked for at Cost Explorer, for $0.01.

    Example: breakeven doctor
    """
    from ingest.doctor import examine
    from ingest.doctor.finding import refused

    found = []
    try:
        for finding in examine(load(config)):
            found.append(finding)
            if not as_json:
                click.echo(finding.line())
    except ConfigError as error:
        found.append(refused("config", "breakeven.toml", error))
        if not as_json:
            raise
    if as_json:
        say([], [finding.document() for finding in found], as_json)
    sys.exit(any(finding.state == "blocks" for finding in found))


@main.command()
@configured
@click.argument("source", nargs=-1)
@click.option("--from", "first", type=click.DateTime(["%Y-%m-%d"]), help="First UTC day.")
@click.option("--to", "last", type=click.DateTime(["%Y-%m-%d"]), help="Last UTC day, included.")
@click.option("--json", "as_json", is_flag=True, help="For machines.")
def ingest(
    config: Path | None,
    source: tuple[str, ...],
    first: datetime | None,
    last: datetime | None,
    as_json: bool,
) -> None:
    """Pulls every configured SOURCE once, or the named ones and the shipped prices.

    Example: breakeven ingest focus --from 2026-09-01 --to 2026-09-30
    """
    from ingest.pull import pull, report_of
    from ingest.source import Window
    from models.engine.build import refresh

    window = Window(first and first.date(), last and last.date())
    if window.first and window.last and window.first > window.last:
        raise click.UsageError(f"--from {window.first} is after --to {window.last}")
    report = None
    try:
        settings = load(config)
        with told_progress() as tell:
            report = pull(settings, source, window, tell=tell)
        refresh(settings)
    except BreakevenError as error:
        if as_json:
            say([], report_of(error, report).documents(), as_json)
        raise
    counts = report.documents()
    said = report.lines()
    said += [f"{result.source}: {note}" for result in report.results for note in result.notices]
    say([*said, *report.restated()], counts, as_json)
    report.raise_failures()


@main.command()
@configured
@click.option(
    "--engine",
    type=click.Choice(["duckdb", "spark"]),
    default="duckdb",
    show_default=True,
    help="Where delivered lines are reduced; all else runs here.",
)
@click.option("--master", metavar="URL", help="Spark's, as spark://host:7077; else local[*].")
@click.option("--json", "as_json", is_flag=True, help="For machines.")
def build(config: Path | None, engine: str, master: str | None, as_json: bool) -> None:
    """Derives every number from what was ingested and publishes it.

    Example: breakeven build --engine spark --master spark://10.0.0.5:7077
    """
    from models.engine import spark
    from models.engine.build import build as derive

    if master and engine != "spark":
        raise click.UsageError("--master needs --engine spark")
    settings = load(config)
    elsewhere = spark.cluster(master or spark.HERE, settings.data) if engine == "spark" else None
    with elsewhere or nullcontext() as cluster:
        built = derive(settings, cluster=cluster)
    say([built.line()], built.document(), as_json)


@main.command()
@configured
@listening
def serve(config: Path | None, host: str, port: int, workers: int) -> None:
    """Serves the dashboard over the published snapshot.

    Example: breakeven serve --port 9000 --workers 4
    """
    from dashboard import server

    settings = load(config)
    server.check_free(host, port)
    click.echo(f"Open http://{host}:{port}  (Ctrl-C stops)")
    server.serve(settings, host, port, workers)


@main.command()
@configured
def schedule(config: Path | None) -> None:
    """Pulls on the crons of [schedule] (UTC) and builds; one process in all.

    Example: breakeven schedule
    """
    from ingest import schedule as scheduler
    from models.engine.build import build as derive
    from models.sending.sending import send_alerts, send_due

    def derive_and_send(settings: Settings) -> str:
        told = derive(settings, wait=-1).line()
        send_due(settings)
        send_alerts(settings)
        return told

    scheduler.run(load(config), derive_and_send)


@main.command()
@configured
@listening
def up(config: Path | None, host: str, port: int, workers: int) -> None:
    """The scheduler and the dashboard together.

    Example: breakeven up --host 0.0.0.0
    """
    from dashboard import server

    load(config)
    server.check_free(host, port)
    named = ["--config", str(config)] if config else []
    listen = ["--host", host, "--port", str(port), "--workers", str(workers)]
    sys.exit(together(["schedule", *named], ["serve", *named, *listen]))


@main.command()
@configured
@click.option(
    "--workloads",
    type=click.IntRange(1, 100_000),
    help="How many are trained; else those the config names, else 50.",
)
@click.option("--json", "as_json", is_flag=True, help="For machines.")
def estimate(config: Path | None, workloads: int | None, as_json: bool) -> None:
    """Says what a month of the schedule will cost in AWS's requests, before any is sent.

    Example: breakeven estimate --workloads 50
    """
    from ingest.estimate import Scale
    from ingest.estimate import estimate as predict

    found = predict(load(config), Scale(workloads) if workloads else None)
    say(found.lines(), found.document(), as_json)


@main.command()
@configured
@click.argument("name")
@click.option("--month", metavar="YYYY-MM", help="Only this month's rows.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["csv", "json", "parquet", "xlsx", "pdf"]),
    default="csv",
    show_default=True,
)
@click.option("--output", type=click.Path(path_type=Path), help="A file, instead of stdout.")
@click.option("--version", "number", type=click.IntRange(1), help="Which close of a statement.")
def export(
    config: Path | None,
    name: str,
    month: str | None,
    kind: str,
    output: Path | None,
    number: int | None,
) -> None:
    """Writes a mart, or charges, progress, prices; `statement` is a month for finance.

    \b
    Example: breakeven export monthly_summary --month 2026-09 --format json
             breakeven export statement --month 2026-09 --format xlsx --output september.xlsx
    """
    from models import documents

    if month and not documents.is_month(month):
        raise click.BadParameter(f"{month!r} is not YYYY-MM", param_hint="--month")
    paper = kind in ("xlsx", "pdf")
    if paper and name not in (STATEMENT, "monthly_summary"):
        raise click.UsageError(f"{kind} is for `{STATEMENT}`; {name} can be csv, json, parquet")
    if output is None and (kind == "parquet" or paper or (name == STATEMENT and kind == "csv")):
        raise click.UsageError(f"{kind} needs --output FILE")
    if name == STATEMENT or paper:
        from models.documents import statements

        statements.write(load(config), month, kind, output, number)
        return
    documents.write(load(config), name, month, kind, output)


@main.command()
@configured
@click.argument("month", callback=a_month)
@click.option("--by", default=getpass.getuser, help="Who closes it; else the user's name.")
@click.option("--reason", default="", help="Why a closed month is opened again.")
@click.option("--explain", default="", help="What the remainder of the tie-out is.")
@click.option("--check", is_flag=True, help="Only say what must hold, and whether it does.")
@click.option("--json", "as_json", is_flag=True, help="For machines.")
def close(
    config: Path | None,
    month: str,
    by: str,
    reason: str,
    explain: str,
    check: bool,
    as_json: bool,
) -> None:
    """Freezes a month: its figures, what they were computed from, who and when.

    Example: breakeven close 2026-10 --by "J. Doe, Controlling"
    """
    from models.closing import closing

    settings = load(config)
    if check:
        made = closing.draft(settings, month, by=by, reason=reason, explanation=explain)
        say(made.lines, made.document(), as_json)
        return
    made = closing.close(settings, month, by=by, reason=reason, explanation=explain)
    say([*made.lines, made.closed_line()], made.document(), as_json)


@main.command()
@configured
@click.argument("month", callback=a_month)
@click.option("--version", "number", type=click.IntRange(1), help="Which close; else the newest.")
@click.option("--json", "as_json", is_flag=True, help="For machines.")
def verify(config: Path | None, month: str, number: int | None, as_json: bool) -> None:
    """Computes a closed month again from the deliveries it names, and compares every figure.

    Example: breakeven verify 2026-10
    """
    from models.closing import closing

    found = closing.verify(load(config), month, number)
    say([found.line()], found.document(), as_json)


@main.command()
@configured
@click.argument("month", callback=a_month)
@click.option("--to", "names", multiple=True, help="Only this recipient; may be repeated.")
@click.option("--again", is_flag=True, help="Also to who has it already.")
def send(config: Path | None, month: str, names: tuple[str, ...], again: bool) -> None:
    """Sends the statement of a closed month to the recipients of the config, once to each.

    Example: breakeven send 2026-10 --to cfo
    """
    from models.sending import sending

    for sent in sending.send(load(config), month, names, again=again):
        click.echo(sent.line())


@main.command()
@configured
@click.argument("name")
@click.option(
    "--dialect",
    type=click.Choice(["duckdb", "spark", "athena", "trino"]),
    default="duckdb",
    show_default=True,
)
def sql(config: Path | None, name: str, dialect: str) -> None:
    """Shows the SQL behind a number.

    Example: breakeven sql spend_reduced --dialect athena
    """
    from models.engine import dialects

    click.echo(dialects.named(name, load(config), dialect))


@main.command("what-if")
@configured
@assuming
@click.option("--workload", metavar="NAME", help="Start from what this one costs and saves today.")
@click.option(
    "--months",
    default=HORIZON,
    show_default=True,
    type=click.IntRange(1, 600),
    help="How far ahead to add up.",
)
@click.option("--json", "as_json", is_flag=True, help="For machines.")
def what_if(
    config: Path | None, workload: str | None, months: int, as_json: bool, **given: Decimal | None
) -> None:
    """Says when a migration would pay for itself: what is not given is today's, or nothing.

    Example: breakeven what-if --workload atlas-7b --gpu-price-change -0.33 --runs-per-month 6
    """
    from models.documents import outcome
    from models.forecast.starting_point import assumed, lacking, starting_point
    from models.forecast.what_if import what_if as compute

    twice = [side for side in ("gpu", "trn") if said_twice(given, side)]
    if twice:
        named = " and ".join(f"--{side}-cost-per-run or --{side}-cost-per-epoch" for side in twice)
        raise click.UsageError(f"give {named}, not both")
    known = starting_point(workload, load(config)) if workload else None
    sides = [side for side in ("gpu", "trn") if not known and not said(given, side)]
    if sides:
        named = " and ".join(f"--{side}-cost-per-run" for side in sides)
        raise click.UsageError(f"give {named} (or per epoch, with --epochs-per-run), or --workload")
    asked = assumed(given, known, months)
    found = compute(asked)
    lacks = lacking(asked)
    say(outcome.lines(asked, found, lacks), outcome.document(asked, found, lacks), as_json)


def said(given: dict[str, Decimal | None], side: str) -> bool:
    """Whether the options alone say what a run costs on this side."""
    whole, each, epochs = (
        given[name] is not None
        for name in (f"{side}_cost_per_run", f"{side}_cost_per_epoch", "epochs_per_run")
    )
    return whole or (each and epochs)


def said_twice(given: dict[str, Decimal | None], side: str) -> bool:
    """Whether a run's cost is given whole and by the epoch: one of them would count for nothing."""
    return None not in (given[f"{side}_cost_per_run"], given[f"{side}_cost_per_epoch"])


def say(lines: list[str], document: object, as_json: bool) -> None:
    """The result of a verb, for people or for machines."""
    import json

    click.echo(json.dumps(document, indent=1) if as_json else "\n".join(lines))


@contextmanager
def told_progress() -> Iterator[Callable[[Any], None]]:
    """A bar on a terminal, plain log lines elsewhere."""
    console = Console(stderr=True)
    log = logging.getLogger("breakeven.ingest")
    if not console.is_terminal:
        yield lambda step: log.info("%s: %s %s", step.feed, step.unit, step.period)
        return
    with Progress(console=console, transient=True) as bar:
        tasks: dict[str, Any] = {}

        def tell(step: Any) -> None:  # noqa: ANN401 - ingest.pull.Step, imported only when needed
            if step.feed not in tasks:
                tasks[step.feed] = bar.add_task(step.feed, total=step.total or None)
            bar.update(tasks[step.feed], completed=step.done + 1)

        yield tell


def together(*verbs: list[str], environ: dict[str, str] | None = None) -> int:
    """Runs verbs as processes of their own until one ends or a signal comes; then ends them all.

    Returns the exit code of the one that ended, 0 after a signal.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    children: list[subprocess.Popen[bytes]] = []
    try:
        for verb in verbs:
            command = [sys.executable, "-m", "breakeven", *verb]
            children.append(subprocess.Popen(command, env=environ))
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        return next(child.wait() for child in children if ended and child.pid == ended.si_pid)
    except KeyboardInterrupt:
        return 0  # the terminal told the children too
    except SystemExit:
        for child in children:
            child.terminate()
        raise
    finally:
        for child in children:
            end(child)


def end(child: subprocess.Popen[bytes]) -> None:
    """Waits for a process that may be ending already, then asks it to, then makes it."""
    for insist in (child.terminate, child.kill):
        try:
            child.wait(timeout=GRACE if insist == child.kill else ENDING)
        except subprocess.TimeoutExpired:
            insist()
    child.wait()


if __name__ == "__main__":
    main()
