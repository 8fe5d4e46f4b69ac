"""A closed month goes out once: to a folder, S3, a real SMTP server, a local webhook."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

from models.config.loading import validated_settings
from models.config.settings import Settings
from models.contract.errors import BreakevenError, ConfigError, SendError
from models.raw import atomic_files
from models.records.closes import Closes
from models.records.statement import Statement
from models.sending import alert_mail, attempts, sending, sent_log
from models.sending.statement_letter import statement_letter
from tests.support.dashboard import world
from tests.support.documents.papers import FACTS, paper, tables
from tests.support.loopback import serving
from tests.support.mailbox import Mailbox, mail_server

MONTH = "2026-09"
FILES = ["savings-2026-09-v2.pdf", "savings-2026-09-v2.xlsx"]
MANIFEST = "savings-2026-09-v2.manifest.json"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """September closed twice; no time is lost between tries."""
    monkeypatch.setattr(attempts, "PAUSES", (0.0, 0.0))
    second = paper().close
    assert second is not None
    facts = dict(second.statement.facts) | {"as_of": "2026-10-11"}
    for close in (
        replace(second, version=1, reason="", statement=replace(second.statement, facts=facts)),
        second,
    ):
        Closes(tmp_path / "data").add(close)
    return tmp_path


@pytest.fixture
def mail() -> Iterator[tuple[Mailbox, int]]:
    with mail_server() as found:
        yield found


@pytest.fixture
def webhook() -> Iterator[tuple[list[dict[str, Any]], list[int], int]]:
    """Takes JSON; answers with the given codes first, then 200."""
    got: list[dict[str, Any]] = []
    codes: list[int] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            code = codes.pop(0) if codes else 200
            if code == 200:
                got.append(json.loads(body))
            self.send_response(code)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with serving(HTTPServer(("127.0.0.1", 0), Handler)) as server:
        yield got, codes, server.server_port


def settings(data: Path, *recipients: dict[str, object], port: int = 25) -> Settings:
    smtp = {"host": "127.0.0.1", "port": port, "sender": "b@x.example", "starttls": False}
    return validated_settings({"recipients": list(recipients), "smtp": smtp}, home=data)


def test_a_folder_gets_every_file_once(data: Path) -> None:
    (data / "out").mkdir()
    config = settings(data, {"name": "share", "kind": "folder", "location": "out"})
    (sent,) = sending.send(config, MONTH)
    assert sent.line() == "share: sent (2026-09 version 2)"
    assert sorted(file.name for file in (data / "out").iterdir()) == [MANIFEST, *FILES]
    manifest = json.loads((data / "out" / MANIFEST).read_text())
    assert {one["name"]: one["sha256"] for one in manifest["files"]} == {
        name: atomic_files.sha256(data / "out" / name) for name in FILES
    }
    for file in (data / "out").iterdir():
        file.unlink()
    (sent,) = sending.send(config, MONTH)
    assert sent.line() == "share: has it already (2026-09 version 2)"
    assert list((data / "out").iterdir()) == []
    assert sending.send(config, MONTH, again=True)[0].new
    (first, second) = sent_log.history(config.data)
    assert (first["recipient"], first["tries"], first["error"]) == ("share", 1, None)
    assert first["sha256"] == second["sha256"] == Closes(config.data).every()[1].statement.sha256


def test_no_close_is_passed_over(data: Path) -> None:
    """October and November are closed before the next build, then September is opened again."""
    (data / "out").mkdir()
    share = {"name": "share", "kind": "folder", "location": "out", "formats": ["json"]}
    config, closes = settings(data, share), Closes(data / "data")
    sending.send_due(config)
    (_, second) = closes.versions(MONTH)
    for month, version in (("2026-10", 1), ("2026-11", 1), (MONTH, 3)):
        told = replace(second.statement, month=month)
        closes.add(replace(second, version=version, statement=told))
    sending.send_due(config)
    sending.send_due(settings(data, share, share | {"name": "new"}))
    sent = [
        (line["recipient"], line["month"], line["version"])
        for line in sent_log.history(config.data)
    ]
    assert sent == [
        ("share", MONTH, 2), ("share", MONTH, 3), ("share", "2026-10", 1), ("share", "2026-11", 1),
        ("new", "2026-11", 1),
    ]  # fmt: skip


def test_a_folder_that_is_not_there_is_said_and_nobody_else_waits(data: Path) -> None:
    (data / "out").mkdir()
    config = settings(
        data,
        {"name": "gone", "kind": "folder", "location": "nowhere"},
        {"name": "share", "kind": "folder", "location": "out", "formats": ["json"]},
    )
    with pytest.raises(SendError, match=r"gone was not sent 2026-09 version 2: .*no such folder"):
        sending.send(config, MONTH)
    sent = sorted(file.name for file in (data / "out").iterdir())
    assert sent == ["savings-2026-09-v2.json", MANIFEST]
    assert [line["tries"] for line in sent_log.history(config.data)] == [3, 1]


def test_mail_has_the_words_and_the_files(data: Path, mail: tuple[Mailbox, int]) -> None:
    mailbox, port = mail
    cfo = {"name": "cfo", "kind": "email", "to": ["cfo@x.example", "fin@x.example"]}
    sending.send(settings(data, cfo, port=port), MONTH)
    (message,) = mailbox.messages
    assert message["To"] == "cfo@x.example, fin@x.example"
    assert message["Subject"] == "Savings of training on Trainium, 2026-09 (version 2)"
    body = message.get_body()
    assert body is not None
    words = " ".join(body.get_content().split())
    assert "saved $1,268.30 net in 2026-09" in words
    assert "2026-08 is adjusted by -$12.34 net saving: AWS restated 2026-08." in words
    assert "1 figure differs from version 1: the invoice came." in words
    names = [part.get_filename() for part in message.iter_attachments()]
    assert sorted(str(name) for name in names) == FILES
    pdf = next(p for p in message.iter_attachments() if p.get_filename() == FILES[0])
    assert pdf.get_payload(decode=True).startswith(b"%PDF-")


def test_the_letter_tells_of_an_adjusted_investment_too(tmp_path: Path) -> None:
    """It is deducted from the saving as much as a lower net saving is."""
    given, close = tables(), paper().close
    assert close is not None
    moved = {"measure": "investment", "amount": Decimal(660), "cause": "the port run has a price"}
    given["adjustments"].append(given["adjustments"][1] | moved)
    words = statement_letter(
        replace(close, statement=Statement(MONTH, FACTS, given)), Closes(tmp_path)
    )
    assert "2026-08 is adjusted by -$12.34 net saving: AWS restated 2026-08." in words
    assert "2026-08 is adjusted by $660.00 investment: the port run has a price." in words


def test_a_mail_that_was_taken_is_sent_once_whatever_the_server_says_at_the_end(
    data: Path, mail: tuple[Mailbox, int]
) -> None:
    mailbox, port = mail
    mailbox.farewell = "421 too busy to say good-bye"
    cfo = {"name": "cfo", "kind": "email", "to": ["cfo@x.example"]}
    assert sending.send(settings(data, cfo, port=port), MONTH)[0].new
    assert len(mailbox.messages) == 1


def test_one_refused_address_and_nobody_gets_half(data: Path, mail: tuple[Mailbox, int]) -> None:
    mailbox, port = mail
    mailbox.refuses = {"b@x.example": "550 no such user"}
    cfo = {"name": "cfo", "kind": "email", "to": ["a@x.example", "b@x.example"]}
    config = settings(data, cfo, port=port)
    with pytest.raises(SendError, match=r"refused b@x\.example: 550 no such user"):
        sending.send(config, MONTH)
    assert (mailbox.messages, mailbox.asked) == ([], 2)
    mailbox.refuses = {"b@x.example": "450 try later"}
    with pytest.raises(SendError, match="450 try later"):
        sending.send(config, MONTH)
    assert (mailbox.messages, mailbox.asked) == ([], 8)
    mailbox.refuses = {}
    assert sending.send(config, MONTH)[0].new
    assert len(mailbox.messages) == 1


def test_a_mail_server_that_is_not_there_is_one_line(data: Path) -> None:
    cfo = {"name": "cfo", "kind": "email", "to": ["a@x.example"]}
    with pytest.raises(
        SendError, match=r"cfo was not sent 2026-09 version 2: the mail server 127\.0\.0\.1:9: "
    ) as caught:
        sending.send(settings(data, cfo, port=9), MONTH)
    assert len(caught.value.lines) == 1


def test_a_webhook_is_told_after_a_failure(
    data: Path, webhook: tuple[list[dict[str, Any]], list[int], int]
) -> None:
    got, codes, port = webhook
    codes.extend([503, 500])
    chat = {"name": "team", "kind": "chat", "url": f"json://127.0.0.1:{port}/hook"}
    config = settings(data, chat)
    sending.send_due(config)
    sending.send_due(config)
    (said,) = got
    assert said["title"] == "Savings of training on Trainium, 2026-09 (version 2)"
    assert "migration is $1,226.01 ahead" in said["message"]
    assert [line["tries"] for line in sent_log.history(config.data)] == [3]


def test_alerts_are_told_once_to_who_hears_them(
    data: Path, webhook: tuple[list[dict[str, Any]], list[int], int]
) -> None:
    got, codes, port = webhook
    (data / "out").mkdir()
    chat = {"name": "team", "kind": "chat", "url": f"json://127.0.0.1:{port}/hook", "alerts": True}
    config = settings(data, chat, {"name": "share", "kind": "folder", "location": "out"})
    world.publish(config.data)
    told = alert_mail.send_alerts(config)
    assert [line for line in told if line.startswith("atlas-7b has paid for itself: $")]
    assert alert_mail.send_alerts(config) == []
    (said,) = got
    assert said["message"] == "\n".join(told)
    assert said["title"] == f"breakeven: {told[0]}"
    (line,) = sent_log.history(config.data)
    assert (line["recipient"], line["alerts"], line["error"]) == ("team", told, None)
    codes.extend([500] * 3)
    (config.data / "alerts.json").write_text("torn")
    assert alert_mail.send_alerts(config) == told
    assert len(got) == 1
    later = config.model_copy(update={"as_of": date(2026, 11, 2)})
    owed = [line for line in alert_mail.send_alerts(later) if "stale" not in line]
    assert owed == [], "nothing is new, but who was not reached is told"
    late = [f"{line} (seen on {config.today})" for line in told]
    assert got[1]["message"].splitlines()[: len(told)] == late
    assert alert_mail.send_alerts(later) == []
    assert len(got) == 2


def test_s3_gets_the_files_with_the_hash_beside(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    aws_at(monkeypatch, server.get_host_and_port()[1])
    s3 = {"name": "lake", "kind": "s3", "location": "s3://finance/savings/"}
    config = settings(data, s3)
    try:
        with pytest.raises(SendError, match=r"lake was not sent .*NoSuchBucket"):
            sending.send(config, MONTH)
        client = boto3.client("s3")
        client.create_bucket(Bucket="finance")
        assert sending.send(config, MONTH)[0].new
        keys = [one["Key"] for one in client.list_objects_v2(Bucket="finance")["Contents"]]
        assert keys == [f"savings/{name}" for name in (MANIFEST, *FILES)]
        marks = client.head_object(Bucket="finance", Key=keys[0])["Metadata"]
        assert marks["statement-sha256"] == Closes(config.data).every()[1].statement.sha256
    finally:
        server.stop()


def test_objects_that_no_manifest_names_are_not_sent(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second file is refused: there is no manifest. Once all are taken it is put last."""
    put: list[str] = []
    codes = [200, 403]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_PUT(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            put.append(self.path.removeprefix("/finance/"))
            self.send_response(codes.pop(0) if codes else 200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    config = settings(data, {"name": "lake", "kind": "s3", "location": "s3://finance"})
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as server:
        aws_at(monkeypatch, server.server_port)
        with pytest.raises(SendError, match=r"lake was not sent .*S3: .*403"):
            sending.send(config, MONTH)
        assert put == FILES[::-1]
        sending.send(config, MONTH)
        assert put[2:] == [*FILES[::-1], MANIFEST]


def aws_at(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")


def test_what_cannot_be_sent_is_said(data: Path) -> None:
    with pytest.raises(ConfigError, match="there are no recipients"):
        sending.send(settings(data), MONTH)
    share = {"name": "share", "kind": "folder", "location": "out"}
    with pytest.raises(ConfigError, match=r"no recipient of this name: shar .did you mean share"):
        sending.send(settings(data, share), MONTH, ["shar"])
    with pytest.raises(BreakevenError, match="no such close: 2026-08"):
        sending.send(settings(data, share), "2026-08")
    with pytest.raises(ConfigError, match="kind 'email' takes to"):
        settings(data, {"name": "x", "kind": "email", "location": "out"})
    for several in ("a@x.example, b@x.example", "jürgen@x.example", "a@x.example\nBcc: b@y", ""):
        with pytest.raises(ConfigError, match=r"no. 1: to, no. 1 = "):
            settings(data, {"name": "x", "kind": "email", "to": [several]})
    settings(data, {"name": "x", "kind": "email", "to": ["Jürgen <j@x.example>", "root"]})
    with pytest.raises(ConfigError, match="begins with s3://"):
        settings(data, {"name": "x", "kind": "s3", "location": "out"})


def test_a_mail_server_that_no_host_is_called_is_refused_and_nobody_else_waits(data: Path) -> None:
    """The scheduler sends after each build: a traceback would end what else it does."""
    (data / "out").mkdir()
    share = {"name": "share", "kind": "folder", "location": "out", "formats": ["json"]}
    cfo = {"name": "cfo", "kind": "email", "to": ["cfo@x.example"]}
    smtp = {"host": "mail..example.com", "sender": "b@x.example"}
    config = validated_settings({"recipients": [cfo, share], "smtp": smtp}, home=data)
    with pytest.raises(SendError) as caught:
        sending.send(config, MONTH)
    assert "cfo was not sent" in f"{caught.value}"
    assert "smtp.host is not a host name: mail..example.com" in f"{caught.value}"
    tries = {line["recipient"]: line["tries"] for line in sent_log.history(config.data)}
    assert tries == {"cfo": 1, "share": 1}


def test_a_password_that_no_mail_server_takes_is_refused_and_nobody_else_waits(data: Path) -> None:
    """Python's login knows ASCII alone. A traceback would end what else the scheduler does."""
    (data / "out").mkdir()
    share = {"name": "share", "kind": "folder", "location": "out", "formats": ["json"]}
    cfo = {"name": "cfo", "kind": "email", "to": ["cfo@x.example"]}
    login = {"sender": "b@x.example", "user": "b", "password": "pässwort", "starttls": False}
    with mail_server(auth_require_tls=False, authenticator=lambda *_: None) as (_, port):
        smtp = {"host": "127.0.0.1", "port": port, **login}
        config = validated_settings({"recipients": [cfo, share], "smtp": smtp}, home=data)
        with pytest.raises(SendError) as caught:
            sending.send(config, MONTH)
    assert "cfo was not sent" in f"{caught.value}"
    assert "smtp.user and smtp.password must be plain ASCII" in f"{caught.value}"
    assert "sswort" not in f"{caught.value}"
    tries = {line["recipient"]: line["tries"] for line in sent_log.history(config.data)}
    assert tries == {"cfo": 1, "share": 1}
