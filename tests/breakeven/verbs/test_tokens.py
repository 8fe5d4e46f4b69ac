"""`breakeven token`: printed once, listed without the token, worthless when over or revoked."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from breakeven import main
from models.access.acting import Actor, acting
from models.access.person import Grant, Person
from models.contract.errors import AccessError
from models.records import audit, tokens
from models.records.tokens import Tokens

CONFIG = 'warehouse.path = "w.duckdb"\ntags.extra = ["team"]\n'


def invoke(folder: Path, *words: str) -> Result:
    (folder / "breakeven.toml").write_text(CONFIG)
    verb, *rest = words
    return CliRunner().invoke(main, ["token", verb, "--config", f"{folder}/breakeven.toml", *rest])


def test_a_token_is_printed_once_and_kept_as_a_hash(tmp_path: Path) -> None:
    secret = invoke(tmp_path, "create", "grafana", "--days", "30").stdout.strip()
    person = Tokens(tmp_path).person(secret)
    assert person == Person("token grafana", (Grant("viewer"),))
    file = tmp_path / "tokens.json"
    assert secret not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    (line,) = invoke(tmp_path, "list").stdout.splitlines()
    assert line.startswith("grafana: viewer on everything, by ")
    assert secret not in line
    (listed,) = json.loads(invoke(tmp_path, "list", "--json").stdout)
    ends = datetime.fromisoformat(listed["expires_at"]) - datetime.fromisoformat(
        listed["created_at"]
    )
    assert (ends, listed["role"]) == (timedelta(days=30), "viewer")
    assert invoke(tmp_path, "revoke", "grafana").stdout == "grafana is revoked\n"
    assert Tokens(tmp_path).person(secret) is None
    assert invoke(tmp_path, "list").stdout == "no tokens\n"
    told = [(line["what"], line["token"], line["outcome"]) for line in audit.lines(tmp_path)]
    assert told == [
        ("token create", "grafana", "begins"),
        ("token create", "grafana", "done"),
        ("token revoke", "grafana", "begins"),
        ("token revoke", "grafana", "done"),
    ]
    assert secret not in (tmp_path / audit.FILE).read_text()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("a", "--scope", "colour=red"), "tag 'colour' is none of tags.extra: team"),
        (("a", "--scope", "team"), "a scope is a tag and its value, each tag once: team"),
        (("a", "--scope", "team=a", "--scope", "team=b"), "each tag once: team=a team=b"),
        (("a", "--role", "admin", "--workloads", "atlas-*"), "role 'admin' has no scope"),
        (("a\nb",), "a token's name is 1 to 64 printable characters"),
    ],
)
def test_what_no_entry_of_access_may_say_a_token_may_not(
    tmp_path: Path, words: tuple[str, ...], line: str
) -> None:
    result = invoke(tmp_path, "create", *words)
    assert result.exit_code == 1
    assert line in result.stderr
    assert not (tmp_path / "tokens.json").exists()


def test_a_scope_is_granted_with_the_token(tmp_path: Path) -> None:
    tagged = invoke(tmp_path, "create", "a", "--scope", "team=nlp").stdout.strip()
    named = invoke(tmp_path, "create", "b", "--workloads", "atlas-*").stdout.strip()
    (by_tag,) = Tokens(tmp_path).person(tagged).grants  # type: ignore[union-attr]
    (by_name,) = Tokens(tmp_path).person(named).grants  # type: ignore[union-attr]
    assert by_tag == Grant("viewer", (), {"team": "nlp"})
    assert by_name == Grant("viewer", ("atlas-*",), {})
    listed = [line.split(", by ")[0] for line in invoke(tmp_path, "list").stdout.splitlines()]
    assert listed == ["a: viewer on team=nlp", "b: viewer on atlas-*"]


def test_a_role_that_there_is_not_is_a_wrong_use(tmp_path: Path) -> None:
    result = invoke(tmp_path, "create", "a", "--role", "owner")
    assert result.exit_code == 2
    assert "'owner' is not one of 'viewer', 'finance', 'admin'" in result.stderr


def test_a_name_is_one_token(tmp_path: Path) -> None:
    invoke(tmp_path, "create", "grafana")
    assert "there is a token of this name: grafana" in invoke(tmp_path, "create", "grafana").stderr
    refusal = invoke(tmp_path, "revoke", "grafama").stderr
    assert refusal == "breakeven: there is no such token: grafama (known: grafana)\n"


@pytest.mark.parametrize("held", ["[1]", '{"a": 1}', '{"a": {"role": "viewer"}}'])
def test_a_damaged_file_of_tokens_is_one_line(tmp_path: Path, held: str) -> None:
    (tmp_path / "tokens.json").write_text(f'{{"schema": 1, "tokens": {held}}}')
    for words in (("list",), ("create", "grafana"), ("revoke", "a")):
        refusal = invoke(tmp_path, *words)
        assert refusal.exit_code == 1
        assert refusal.stderr == (
            f"breakeven: cannot read {tmp_path}/tokens.json: damaged "
            "(restore a backup of it, or delete it and make its tokens anew)\n"
        )


def test_a_token_is_worthless_after_its_days(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = Tokens(tmp_path).create("grafana", Grant("viewer"), 1)
    later = datetime.now(UTC) + timedelta(days=1, seconds=1)
    monkeypatch.setattr(tokens, "_now", lambda: later)
    assert Tokens(tmp_path).person(secret) is None


def test_using_a_token_writes_at_most_every_ten_minutes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Tokens(tmp_path)
    secret = known.create("grafana", Grant("viewer"), 1)
    known.person(secret)
    (used,) = known.every()
    written = (tmp_path / "tokens.json").stat().st_ino
    for _ in range(3):
        known.person(secret)
    assert (tmp_path / "tokens.json").stat().st_ino == written
    later = datetime.fromisoformat(used.used_at) + timedelta(minutes=10)
    monkeypatch.setattr(tokens, "_now", lambda: later)
    known.person(secret)
    assert known.every()[0].used_at == later.isoformat()


def test_a_token_counts_where_its_use_cannot_be_noted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    secret = Tokens(tmp_path).create("grafana", Grant("viewer"), 90)
    (tmp_path / tokens.LOCK).unlink()
    (tmp_path / tokens.LOCK).mkdir()
    assert Tokens(tmp_path).person(secret) == Person("token grafana", (Grant("viewer"),))
    assert "the use of token grafana is not noted: cannot write" in caplog.text


def test_only_an_admin_makes_tokens(tmp_path: Path) -> None:
    fay = Actor(Person("fay", (Grant("finance"),)), "10.0.0.1")
    with acting(fay), pytest.raises(AccessError, match="needs the role admin: fay is finance"):
        Tokens(tmp_path).create("mine", Grant("admin"), 1)
    assert Tokens(tmp_path).every() == []
