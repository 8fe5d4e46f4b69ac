"""The audit trail: who did what, chained so that a line lost or changed is named."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner

from breakeven import main
from models.access.acting import Actor, acting, actor
from models.access.person import Grant, Person
from models.closing import closing
from models.config.loading import validated_settings
from models.contract.errors import AccessError, CloseError, MissingDataError, StorageError
from models.raw import atomic_files
from models.records import audit
from models.records.audit import audited, faults, lines
from models.records.config_changes import record_changes

ANN = Actor(Person("ann", (Grant("finance"),)), "10.0.0.7")


def write(data: Path, count: int = 5) -> list[bytes]:
    for number in range(count):
        audit.record(data, "close", "done", {"number": number})
    return (data / audit.FILE).read_bytes().splitlines()


def rewrite(data: Path, texts: list[bytes]) -> list[str]:
    (data / audit.FILE).write_bytes(b"".join(text + b"\n" for text in texts))
    return faults(data)


def test_an_act_has_a_line_before_it_and_one_with_its_outcome(tmp_path: Path) -> None:
    with acting(ANN), audited(tmp_path, "close", {"month": "2026-10", "by": "a\nb"}):
        (begun,) = lines(tmp_path)
    with pytest.raises(CloseError), acting(ANN), audited(tmp_path, "send", {}):
        raise CloseError("not yet", value="http://u:S3CRET@h")
    told = [(line["what"], line["outcome"]) for line in lines(tmp_path)]
    assert told == [
        ("close", "begins"),
        ("close", "done"),
        ("send", "begins"),
        ("send", "refused: not yet: http://…@h"),
    ]
    assert {name: begun[name] for name in ("who", "role", "from", "month", "by", "previous")} == {
        "who": "ann",
        "role": "finance",
        "from": "10.0.0.7",
        "month": "2026-10",
        "by": r"a\nb",
        "previous": "",
    }
    assert faults(tmp_path) == []
    assert actor().origin == "command line"


def test_an_act_that_ends_in_a_fault_of_ours_is_told_from_one_that_was_cut_off(
    tmp_path: Path,
) -> None:
    with pytest.raises(ZeroDivisionError), audited(tmp_path, "close", {}):
        raise ZeroDivisionError
    assert [line["outcome"] for line in lines(tmp_path)] == ["begins", "failed"]


def test_a_line_that_is_changed_or_lost_anywhere_is_named(tmp_path: Path) -> None:
    texts = write(tmp_path)
    changed = texts[1].replace(b'"number": 1', b'"number": 7')
    assert changed != texts[1]
    assert rewrite(tmp_path, texts) == []
    assert rewrite(tmp_path, [texts[0], changed, *texts[2:]]) == (
        ["line 2 was changed, or lines before line 3 are lost"]
    )
    assert rewrite(tmp_path, [texts[0], *texts[2:]])[0] == (
        "line 1 was changed, or lines before line 2 are lost"
    )
    assert rewrite(tmp_path, texts[1:])[0] == "lines before line 1 are lost"
    assert rewrite(tmp_path, texts[:-2]) == ["2 lines after line 3 are lost"]
    assert rewrite(tmp_path, []) == ["5 lines after line 0 are lost"]
    last = texts[-1].replace(b'"number": 4', b'"number": 7')
    assert rewrite(tmp_path, [*texts[:-1], last]) == ["line 5 was changed"]
    torn = rewrite(tmp_path, [*texts[:2], texts[2][:20], *texts[3:]])
    assert torn[0] == "line 3 is not a record: it was cut off or changed"
    (tmp_path / audit.HEAD).unlink()
    assert rewrite(tmp_path, texts) == (
        ["audit.json is lost: whether the last lines are there is unknown"]
    )


def test_a_crash_between_a_line_and_its_count_is_no_loss(tmp_path: Path) -> None:
    write(tmp_path, 2)
    head = (tmp_path / audit.HEAD).read_bytes()
    write(tmp_path, 1)
    (tmp_path / audit.HEAD).write_bytes(head)
    assert faults(tmp_path) == []
    write(tmp_path, 1)
    assert faults(tmp_path) == []
    assert audit.read_head(tmp_path / audit.HEAD)["lines"] == 4


def test_a_last_line_that_is_changed_is_still_named_after_another(tmp_path: Path) -> None:
    *texts, last = write(tmp_path)
    rewrite(tmp_path, [*texts, last.replace(b'"number": 4', b'"number": 7')])
    write(tmp_path, 1)
    assert faults(tmp_path) == ["line 5 was changed, or lines before line 6 are lost"]


def test_those_who_write_at_once_make_one_chain(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: write(tmp_path, 5), range(8)))
    assert (len(lines(tmp_path)), faults(tmp_path)) == (40, [])


def test_what_cannot_be_recorded_does_not_happen(tmp_path: Path) -> None:
    settings = validated_settings({"as_of": "2025-10-31"}, home=tmp_path)
    (settings.data / audit.FILE).mkdir(parents=True)
    done = []
    with pytest.raises(StorageError, match="cannot write"), audited(settings.data, "x", {}):
        done.append("x")
    assert done == []
    with pytest.raises(StorageError, match=r"cannot write .*audit\.jsonl"):
        closing.close(settings, "2025-09", by="C")
    assert not (settings.data / "closes").exists()


def test_lines_that_a_full_disk_kept_out_of_the_count_are_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = b"".join(text + b"\n" for text in write(tmp_path, 2))

    def full(path: Path, *_: object, **__: object) -> None:
        raise StorageError(
            f"cannot write {path}", value="No space left on device", remedy="free some"
        )

    with monkeypatch.context() as disk:
        disk.setattr(atomic_files, "replace_json", full)
        for _ in range(3):
            with pytest.raises(StorageError, match="No space left"):
                audit.record(tmp_path, "close", "begins", {})
    assert (tmp_path / audit.FILE).read_bytes() == whole
    write(tmp_path, 1)
    assert (len(lines(tmp_path)), faults(tmp_path)) == (3, [])


def typed(home: Path, *words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [*words, "--config", str(home / "b.toml")])
    return result.exit_code, result.stdout, result.stderr


def test_the_command_shows_verifies_and_names_what_is_lost(tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_text("as_of = 2025-10-31\n")
    assert typed(tmp_path, "export", "statement", "--month", "2025-09", "--format", "json")[0] == 1
    assert typed(tmp_path, "build")[0] == 1
    code, shown, _ = typed(tmp_path, "audit", "--verify")
    told = shown.splitlines()
    assert (code, told[-1], len(told)) == (0, "every line is as it was written", 5)
    assert "(admin, command line) export statement month=2025-09" in told[1]
    assert ": refused: " in told[1]
    assert "(admin, command line) build engine=duckdb master=None: refused: " in told[3]
    assert [line["what"] for line in json.loads(typed(tmp_path, "audit", "--json")[1])] == (
        ["export statement"] * 2 + ["build"] * 2
    )
    assert typed(tmp_path, "audit", "--since", "2999-01-01") == (0, "\n", "")
    path = tmp_path / "data" / audit.FILE
    path.write_bytes(path.read_bytes().replace(b"duckdb", b"spark!", 1))
    assert typed(tmp_path, "audit", "--verify") == (
        *(1, ""),
        f"breakeven: {path}: line 3 was changed, or lines before line 4 are lost\n",
    )


def test_a_send_of_what_is_not_closed_is_recorded_as_refused(tmp_path: Path) -> None:
    from models.sending.sending import send

    settings = validated_settings({"as_of": "2025-10-31"}, home=tmp_path)
    with pytest.raises(MissingDataError):
        send(settings, "2025-09", ["cfo"])
    (_, refused) = lines(settings.data)
    assert (refused["to"], refused["outcome"][:36]) == (
        ["cfo"],
        "refused: there is no such close: 202",
    )


def test_a_start_names_the_keys_that_changed_and_no_value(tmp_path: Path) -> None:
    def started(program: str, **config: object) -> None:
        record_changes(
            validated_settings({"warehouse": {"path": "w"}, **config}, home=tmp_path), program
        )

    secret = {"smtp": {"password": "S3CRET"}, "cost": {"settle_days": 5}}
    started("serve")
    started("serve")
    started("schedule", **secret)
    assert lines(tmp_path) == []
    started("serve", **secret)
    started("serve", **secret)
    started("serve", **{**secret, "smtp": {"password": "0THER"}})
    assert [(line["what"], line["keys"]) for line in lines(tmp_path)] == [
        ("config of serve", ["cost.settle_days", "smtp.password"]),
        ("config of serve", ["smtp.password"]),
    ]
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    assert b"S3CRET" not in written


def test_a_folder_that_cannot_be_written_is_one_line_at_a_start(tmp_path: Path) -> None:
    settings = validated_settings({"warehouse": {"path": "w"}}, home=tmp_path)
    (tmp_path / "config_seen.lock").mkdir()
    with pytest.raises(StorageError, match="cannot write"):
        record_changes(settings, "serve")


def test_an_act_of_another_role_does_not_happen_and_is_recorded(tmp_path: Path) -> None:
    happened = []
    refusal = pytest.raises(AccessError, match="needs the role admin: ann is finance")
    with refusal, acting(ANN), audited(tmp_path, "token create", {}, role="admin"):
        happened.append("a token")
    assert happened == []
    assert [line["outcome"][:8] for line in lines(tmp_path)] == ["begins", "refused:"]
