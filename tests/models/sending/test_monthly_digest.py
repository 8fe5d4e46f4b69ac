"""The digest of a month goes out once, with the curve in it, through a real SMTP server."""

from __future__ import annotations

import re
import shutil
import struct
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from breakeven import main
from models.access import acting
from models.access.person import Grant, Person
from models.config.loading import validated_settings
from models.config.settings import Settings
from models.contract.errors import AccessError, BreakevenError, ConfigError, SendError
from models.documents.paper import Paper, paper
from models.documents.pdf.basis import basis_lines
from models.documents.wording import sentence
from models.records.closes import Closes
from models.sending import attempts, digest_letter, sending, sent_log
from models.sending.digest_letter import AS_ON_PAGES, dollars
from models.sending.monthly_digest import send_digest, send_due_digests, write_digest
from tests.support.dashboard import world
from tests.support.documents.papers import paper as closed_paper
from tests.support.mailbox import Mailbox, mail_server

MONTH = "2026-09"
CFO = {"name": "cfo", "kind": "email", "to": ["cfo@x.example"], "digest": True}
LEAD = {"name": "lead", "kind": "email", "to": ["lead@x.example"], "digest": True}
SHARE = {"name": "share", "kind": "folder", "location": "out"}


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    world.publish(folder)
    return folder


@pytest.fixture
def home(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A published snapshot of its own; no time is lost between tries."""
    monkeypatch.setattr(attempts, "PAUSES", (0.0, 0.0))
    shutil.copytree(published, tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def mail() -> Iterator[tuple[Mailbox, int]]:
    with mail_server() as found:
        yield found


def settings(home: Path, *recipients: dict[str, Any], port: int = 25, **more: object) -> Settings:
    smtp = {"host": "127.0.0.1", "port": port, "sender": "b@x.example", "starttls": False}
    table = {
        "as_of": world.AS_OF,
        "warehouse": {"path": str(home / "warehouse.duckdb")},
        "recipients": list(recipients),
        "smtp": smtp,
    }
    return validated_settings(table | more, home=home)


def part(message: EmailMessage, kind: str) -> EmailMessage:
    (found,) = (each for each in message.walk() if each.get_content_type() == kind)
    assert isinstance(found, EmailMessage)
    return found


def test_it_says_the_month_in_text_and_html_with_the_curve_inline(
    home: Path, mail: tuple[Mailbox, int]
) -> None:
    mailbox, port = mail
    config = settings(home, CFO, port=port)
    assert send_digest(config, MONTH) == [f"cfo: sent (digest {MONTH})"]
    (message,) = mailbox.messages
    whole = paper(config, MONTH).statement.row("(portfolio)")
    said = sentence(MONTH, whole, AS_ON_PAGES)
    net = dollars(whole["net_saving"])
    assert message["Subject"] == f"Savings of training on Trainium, Sep 2026: {net} net"
    words, html = part(message, "text/plain"), part(message, "text/html")
    assert said in " ".join(words.get_content().split())
    assert "orion-13b: " in words.get_content()
    assert "Draft as of 31 Oct 2026: the month is not closed" in words.get_content()
    assert said.split(". ")[0] in html.get_content()
    assert '<img src="cid:curve.png"' in html.get_content()
    assert "Cumulative net (saving less investment) in US dollars" in html.get_content()
    picture = part(message, "image/png")
    assert picture["Content-ID"] == "<curve.png>"
    assert picture.get_content_disposition() == "inline"
    content = picture.get_content()
    assert content.startswith(b"\x89PNG")
    width, _ = struct.unpack(">II", content[16:24])
    assert width == pytest.approx(2 * (520 + 12), abs=4)
    assert message.get_content_type() == "multipart/alternative"


def forecast(tables: dict[str, list[dict[str, Any]]], first: date) -> None:
    """The portfolio is recovering, and is simulated for three weeks from a day on."""
    (whole,) = (row for row in tables["break_even"] if row["workload"] == "(portfolio)")
    whole.update(
        status="recovering",
        forecast_low=date(2027, 6, 21),
        forecast_median=date(2027, 9, 3),
        forecast_high=None,
    )
    weeks = [{"workload": "(portfolio)", "date": first + timedelta(weeks=n)} for n in range(3)]
    fan = [week | {"low": Decimal(1), "median": Decimal(2), "high": Decimal(3)} for week in weeks]
    tables["forecast_paths"].extend(fan)


@pytest.fixture(scope="module")
def forecasted(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A published snapshot with a forecast from 4 November on."""
    folder = tmp_path_factory.mktemp("forecast")
    world.publish(folder, edit=lambda tables: forecast(tables, date(2026, 11, 4)))
    return settings(folder, CFO)


def test_dates_and_shares_are_written_as_on_the_pages(forecasted: Settings) -> None:
    """Both parts of it: no date as 2026-09-03, no hyphen for a minus."""
    letter = write_digest(forecasted, MONTH)
    for part_ in (letter.words, letter.html):
        said = part_.replace("\u00a0", " ").replace("&nbsp;", " ")
        assert "on 3 Sep 2027 (80 %: 21 Jun 2027 – after 24 months or never)." in said
        assert re.search(r"settled through \d+ \w+ 2026\.", said)
        assert "net in Sep 2026, with $" in said
        assert not re.search(r"\d{4}-\d{2}|-\$|-\d+(\.\d+)? ?%", said)


@pytest.mark.parametrize(("month", "drawn"), [("2026-10", True), ("2026-07", False)])
def test_the_forecast_goes_on_from_the_curve_with_its_interval(
    forecasted: Settings, monkeypatch: pytest.MonkeyPatch, month: str, drawn: bool
) -> None:
    """Not from that of an older month, which ended long before what is forecast today."""
    charts: list[str] = []
    draw = digest_letter.curve
    monkeypatch.setattr(digest_letter, "curve", lambda *of: charts.append(draw(*of)) or charts[-1])
    letter = write_digest(forecasted, month)
    assert ("shaded: 80 % of simulations" in letter.html) is drawn
    assert ("<polygon" in charts[0]) is drawn
    assert ("Break-even is expected on" in letter.words) is drawn


def test_it_says_by_how_much_closed_months_are_adjusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the cumulative net of two digests differs by more than the later month's saving."""
    monkeypatch.setattr(digest_letter, "MOST", 1)
    letter = digest_letter.digest_letter(closed_paper(), lambda _: [])
    assert "\n\nClosed months are adjusted by −$12.34.\n\n" in letter.words
    assert "Closed months are adjusted by −$12.34." in letter.html
    assert "\n\nAnd 1 more workload.\n\n" in letter.words


def test_what_is_unknown_of_closed_months_and_a_month_without_a_settled_day_is_said() -> None:
    """The table of workloads is that of the month; of closed months only this line tells."""
    made = closed_paper(closed=False)
    for row in made.statement.tables["summary"]:
        row |= {"adjustments": None}
    facts = {**made.statement.facts, "settled_through": None}
    draft = Paper(replace(made.statement, facts=facts))
    said = digest_letter.digest_letter(draft, lambda _: []).words
    assert "\n\nWhat closed months would be today is unknown.\n\n" in said
    assert said.endswith(" cost in US dollars, no day of the month is settled.\n")
    assert dict(basis_lines(draft))["Figures"].startswith(
        "US dollars, effective cost, no day of the month is settled"
    )


def test_the_scheduler_sends_it_once_and_retries_who_was_not_reached(
    home: Path, mail: tuple[Mailbox, int]
) -> None:
    mailbox, port = mail
    config = settings(home, CFO, LEAD, SHARE, port=port)
    mailbox.refuses["lead@x.example"] = "550 no such user"
    send_due_digests(config)
    assert [message["To"] for message in mailbox.messages] == ["cfo@x.example"]
    mailbox.refuses.clear()
    for _ in range(2):
        send_due_digests(config)
    assert [message["To"] for message in mailbox.messages] == ["cfo@x.example", "lead@x.example"]
    lines = sent_log.history(config.data)
    outcomes = [(line["recipient"], line["digest"], line["error"] is None) for line in lines]
    assert outcomes == [("cfo", MONTH, True), ("lead", MONTH, False), ("lead", MONTH, True)]
    assert send_digest(config, MONTH, ["cfo"]) == [f"cfo: has it already (digest {MONTH})"]
    send_digest(config, MONTH, ["cfo"], again=True)
    assert len(mailbox.messages) == 3


@pytest.mark.parametrize(
    ("today", "day", "sent"),
    [
        (date(2026, 10, 4), 5, 0),  # its day has not come
        (date(2026, 10, 5), 5, 1),
        (date(2026, 11, 20), 5, 0),  # October is settled through the 28th
        (date(2026, 10, 31), 28, 1),
    ],
)
def test_it_waits_for_its_day_and_until_the_month_is_settled(
    home: Path, mail: tuple[Mailbox, int], today: date, day: int, sent: int
) -> None:
    mailbox, port = mail
    config = settings(home, CFO, port=port, as_of=today, digest={"day": day})
    send_due_digests(config)
    assert len(mailbox.messages) == sent


def test_a_month_that_was_not_final_in_time_is_sent_when_it_is(
    home: Path, mail: tuple[Mailbox, int]
) -> None:
    """To who was sent one before, or not reached; who is new gets last month's alone."""
    mailbox, port = mail
    board = {**CFO, "name": "board", "to": ["board@x.example"]}
    config = settings(home, CFO, LEAD, board, port=port, as_of=date(2026, 11, 20))
    cfo, lead, _ = config.recipients
    for told, month, error in ((cfo, "2026-07", None), (cfo, MONTH, None), (lead, MONTH, "down")):
        sent_log.record(config.data / sent_log.FILE, told, {"digest": month, "error": error})
    for _ in range(2):
        send_due_digests(config)
    lines = sent_log.history(config.data)[3:]
    assert [(line["recipient"], line["digest"], line["error"]) for line in lines] == [
        ("cfo", "2026-08", None),
        ("lead", MONTH, None),
    ]
    assert len(mailbox.messages) == 2


def test_a_closed_month_is_told_as_it_was_closed(home: Path) -> None:
    close = closed_paper().close
    assert close is not None
    config = settings(home, CFO)
    Closes(config.data).add(close)
    words = write_digest(config, MONTH).words
    assert f"Version {close.version}, closed by {close.closed_by} on " in words
    assert re.search(r" on \d+ \w+ \d{4}, \d\d:\d\d UTC\. ", words)


def test_nobody_and_the_unknown_are_refused(home: Path) -> None:
    with pytest.raises(ConfigError, match="no recipient has `digest = true`"):
        send_digest(settings(home, SHARE), MONTH)
    with pytest.raises(ConfigError, match="no recipient of digests has this name: cf"):
        send_digest(settings(home, CFO), MONTH, ["cf"])
    with pytest.raises(ConfigError, match="a digest goes to email"):
        settings(home, SHARE | {"digest": True})


def test_a_server_that_is_not_there_is_one_line(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config = settings(home, CFO, port=1)
    with pytest.raises(SendError, match=f"cfo was not sent the digest of {MONTH}"):
        send_digest(config, MONTH)
    send_due_digests(config)
    assert "cfo was not sent the digest" in caplog.text


def test_it_needs_the_role_of_finance(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acting, "operator", lambda: Person("ada", (Grant("viewer"),)))
    with pytest.raises(AccessError):
        send_digest(settings(home, CFO), MONTH)


def test_without_statements_only_the_digest_is_sent(home: Path, mail: tuple[Mailbox, int]) -> None:
    mailbox, port = mail
    config = settings(home, CFO | {"statements": False}, port=port)
    close = closed_paper().close
    assert close is not None
    Closes(config.data).add(close)
    sending.send_due(config)
    assert sending.send(config, MONTH) == []
    assert mailbox.messages == []
    assert sending.send(config, MONTH, ["cfo"])[0].new


def test_a_dry_run_prints_it_and_sends_nothing(home: Path) -> None:
    config = home / "breakeven.toml"
    config.write_text('as_of = 2026-10-31\nwarehouse.path = "warehouse.duckdb"\n')
    of = ("send", MONTH, "--config", str(config), "--dry-run")
    done = CliRunner().invoke(main, [*of, "--digest"])
    assert done.exit_code == 0, done.output
    assert done.output.startswith("Savings of training on Trainium, Sep 2026: ")
    assert "orion-13b" in done.output
    assert not (home / "sent.jsonl").exists()
    assert CliRunner().invoke(main, of).exit_code == 2
    missing = CliRunner().invoke(main, [*of, "--digest", "--month"])
    assert missing.exit_code == 2
    with pytest.raises(BreakevenError):
        write_digest(settings(home / "nothing", CFO), MONTH)
