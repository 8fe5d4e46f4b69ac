"""The brief of a workload says what its page says, to whoever may see the workload."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import dash
import pytest
from click.testing import CliRunner
from flask import Flask

from breakeven import main
from dashboard.pages.workload import page
from dashboard.pages.workload.brief import brief
from dashboard.server.briefs import add_briefs
from dashboard.snapshot import break_even
from dashboard.snapshot.context import attach_data
from dashboard.wording.break_even import workload_sentence
from models.access import acting
from models.access.person import Grant, Person
from models.config.loading import validated_settings
from models.config.settings import Settings
from models.contract.errors import MissingDataError
from models.contract.schema import PORTFOLIO
from models.records.audit import FILE
from tests.support.dashboard.days import Row
from tests.support.dashboard.server import PLAIN
from tests.support.dashboard.world import publish

World = dict[str, list[Row]]


def test_each_workload_has_one_whatever_its_status(serving: World) -> None:
    rows = [row for row in serving["break_even"] if row["workload"] != PORTFOLIO]
    assert {"losing", "insufficient_baseline"} < {row["status"] for row in rows}
    for row in rows:
        made = brief(row["workload"])
        standing = break_even.standing(row["workload"])
        assert standing
        assert made.sentence == workload_sentence(standing)
        assert made.standing.startswith("As of 31 Oct 2026; bills settled through 28 Oct 2026")
        assert bool(made.curve) != made.curve_note.startswith(("Unknown", "There are not"))
        amounts = {**(row["left_out"] or {}), **(row["flagged"] or {})}
        assert len(made.left_out) == min(len(amounts), 7)
        assert made.basis[-1][0] == "Method"
    assert brief("orion-13b").cost_curve.count("<polyline") == 2


@pytest.mark.usefixtures("serving")
def test_all_workloads_together_are_no_workload() -> None:
    """Their brief called all that was invested billed, their page every baseline missing."""
    assert not page.exists(PORTFOLIO)
    with pytest.raises(
        MissingDataError, match="there is no such workload: \\(portfolio\\) \\(known: "
    ):
        brief(PORTFOLIO)


def test_what_it_lists_as_invested_adds_up_to_the_sentence_and_what_is_planned_is_apart(
    serving: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    standing = break_even.standing("orion-13b")
    assert standing
    entries = [
        {"date": date(2026, 3, 2), "kind": "engineering", "amount": Decimal(1000)},
        *[{"date": date(2026, 11, 23), "kind": "dual_run", "amount": Decimal(700)}] * 7,
    ]
    monkeypatch.setattr(break_even, "investments", lambda *_: entries)
    monkeypatch.setattr(
        break_even, "standing", lambda _: {**standing, "cumulative_investment": Decimal(1250)}
    )
    basis = {name: text for name, text in brief("orion-13b").basis}  # noqa: C416 - mypy cannot take pairs from lists
    assert basis["Invested"].startswith("$1,000 engineering on 2 Mar 2026; $250 on the bill: ")
    planned = "$700 training on both at once on 23 Nov 2026; " * 6
    assert basis["Planned"] == f"{planned}$700 in 1 more item."


def test_a_bill_that_stalls_elsewhere_makes_no_investment_a_planned_one(
    tmp_path: Path,
) -> None:
    """The other account's bill is 30 days behind: the workload's own days are settled all the same.

    Its $700 of 20 Oct are in what it has invested, and none of them are of runs for the move.
    """
    spent = {"workload": "orion-13b", "date": date(2026, 10, 20), "kind": "dual_run"}

    def edit(tables: World) -> None:
        tables["investments"] = [spent | {"amount": Decimal(700)}]
        for row in tables["break_even"]:
            if row["workload"] == "orion-13b":
                row["cumulative_investment"] = Decimal(700)

    publish(tmp_path, edit=edit, through=date(2026, 9, 28))
    server = Flask("stalled")
    attach_data(
        server, validated_settings({"warehouse": {"path": str(tmp_path / "w")}}, home=tmp_path)
    )
    with server.app_context():
        basis = {name: text for name, text in brief("orion-13b").basis}  # noqa: C416 - mypy cannot take pairs from lists
    assert basis["Invested"] == "$700 training on both at once on 20 Oct 2026."
    assert "Planned" not in basis


def test_a_name_that_nothing_has_is_refused(serving: World) -> None:
    """With the names that there are, of those that the reader may see."""
    with pytest.raises(MissingDataError, match="there is no such workload: nothing-1b") as refused:
        brief("nothing-1b")
    assert refused.value.remedy.startswith("known: ")
    assert "orion-13b" in refused.value.remedy
    scoped = Person("ada", (Grant("viewer", ("orion-*",)),))
    with (
        acting.acting(acting.Actor(scoped, "10.0.0.1")),
        pytest.raises(MissingDataError) as hidden,
    ):
        brief("vega-bert")
    assert hidden.value.remedy == "known: orion-13b"


@pytest.fixture
def server(settings: Settings, published: World) -> Flask:
    made = Flask("briefs")
    attach_data(made, settings)
    add_briefs(made)
    return made


def test_it_is_downloaded_within_ones_scope_and_recorded(
    server: Flask, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = server.test_client()
    answer = client.get("/brief.pdf?workload=vega-bert")
    assert answer.status_code == 200
    assert answer.mimetype == "application/pdf"
    name = "brief-vega-bert-2026-10-31.pdf"
    assert answer.headers["Content-Disposition"] == f"attachment; filename={name}"
    assert answer.data.startswith(b"%PDF")
    trail = (settings.data / FILE).read_text(encoding="utf-8")
    assert '"what": "export brief"' in trail
    assert "vega-bert" in trail
    scoped = Person("ada", (Grant("viewer", ("orion-*",)),))
    monkeypatch.setattr(acting, "operator", lambda: scoped)
    assert client.get("/brief.pdf?workload=orion-13b").status_code == 200
    nothing = client.get("/brief.pdf?workload=nothing-1b")
    hidden = client.get("/brief.pdf?workload=vega-bert")
    assert (nothing.status_code, hidden.status_code) == (404, 404)
    assert hidden.data == nothing.data.replace(b"nothing-1b", b"vega-bert")
    assert client.get("/brief.pdf").status_code == 404


def test_the_page_links_it(app: dash.Dash, serving: World) -> None:
    from dashboard.pages.workload.sections import draw_headline

    assert "/brief.pdf?workload=vega-bert" in str(draw_headline("vega-bert"))


def test_the_command_writes_it_whole_or_says_what_is_missing(
    folder: Path, published: World, tmp_path: Path
) -> None:
    config, target = folder / "breakeven.toml", tmp_path / "vega.pdf"
    config.write_text(PLAIN, encoding="utf-8")
    of = ("export", "brief", "--config", str(config), "--output", str(target))
    done = CliRunner().invoke(main, [*of, "--workload", "nothing-1b"])
    assert done.exit_code == 1
    assert "there is no such workload: nothing-1b" in done.output
    assert not target.exists()
    assert CliRunner().invoke(main, [*of, "--workload", "vega-bert"]).exit_code == 0
    assert target.read_bytes().startswith(b"%PDF")
    bare = CliRunner().invoke(main, ["export", "brief", "--config", str(config)])
    assert bare.exit_code == 2
    assert "--workload NAME and --output FILE.pdf" in bare.output
