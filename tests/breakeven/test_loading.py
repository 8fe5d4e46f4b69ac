"""Other users of the machine read nothing of the bill, whatever the umask."""

from __future__ import annotations

import grp
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from breakeven import main
from dashboard.server.identity.ended_sessions import EndedSessions
from dashboard.server.protection.secret_key import secret_key
from models.config.loading import validated_settings
from models.contract.errors import ConfigError
from models.raw.private_files import close_to_others
from tests.support.world import World, one_core, write


def other_group() -> grp.struct_group:
    """A group that this user may give files to, and that new files do not have by themselves."""
    may = (g for g in grp.getgrall() if os.geteuid() == 0 or g.gr_gid in os.getgroups())
    found = next((each for each in may if each.gr_gid != os.getegid()), None)
    return found or pytest.skip("this user is in one group only")


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    """The umask that closes nothing; that of the tests is put back at the end."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A bill of one month, a config and a folder of finance."""
    world = World(tmp_path_factory.mktemp("company"))
    world.run("g1", "p4d.24xlarge", "2025-08-02T00:00:00", 10, 25, 10)
    world.charge("2025-10-30T00:00:00", "1.00")
    write(world.folder / "bill.csv", world.charges)
    write(world.folder / "progress.csv", world.samples)
    (world.folder / "finance").mkdir()
    config(world, "")
    return world


def config(world: World, more: str) -> None:
    (world.folder / "breakeven.toml").write_text(
        f"as_of = 2025-10-31\n{more}\n"
        '[[sources]]\nkind = "focus"\nlocation = "bill.csv"\n'
        '[[sources]]\nkind = "progress_file"\nlocation = "progress.csv"\n'
        '[[recipients]]\nname = "cfo"\nkind = "folder"\nlocation = "finance"\nformats = ["json"]\n'
    )


def run(world: World, *arguments: str) -> None:
    os.umask(0)
    with one_core():
        named = ["--config", str(world.folder / "breakeven.toml")]
        result = CliRunner().invoke(main, [arguments[0], *named, *arguments[1:]])
    assert result.exit_code == 0, result.output


def modes(top: Path) -> dict[str, set[str]]:
    """The modes of files, and of folders, from `top` down."""
    found = [top, *top.rglob("*")]
    return {
        kind: {
            f"{stat.S_IMODE(path.stat().st_mode):o}" for path in found if path.is_dir() is is_dir
        }
        for kind, is_dir in (("files", False), ("folders", True))
    }


@pytest.fixture(scope="module")
def closed_month(company: World) -> World:
    """Everything a month leaves behind: deliveries, warehouse, snapshot, close, sent statement."""
    for words in (("ingest",), ("build",), ("close", "2025-08", "--by", "J. Doe")):
        run(company, *words)
    run(company, "send", "2025-08")
    file = str(company.folder / "statement.json")
    run(
        company,
        "export",
        "statement",
        *("--month", "2025-08", "--format", "json"),
        "--output",
        file,
    )
    return company


def test_what_a_month_leaves_behind_is_its_users_alone(closed_month: World) -> None:
    data = closed_month.folder / "data"
    names = {path.name for path in data.iterdir()}
    assert {
        "raw",
        "snapshots",
        "closes",
        "sending",
        "warehouse.duckdb",
        "deliveries.jsonl",
        "audit.jsonl",
    } < names
    assert modes(data) == {"files": {"600"}, "folders": {"700"}}
    sent = [path for path in (closed_month.folder / "finance").iterdir() if path.is_file()]
    assert len(sent) == 2
    assert {stat.S_IMODE(path.stat().st_mode) for path in sent} == {0o600}


def test_what_an_earlier_version_left_open_is_closed(closed_month: World) -> None:
    data = closed_month.folder / "data"
    for path in [data, *data.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    run(closed_month, "build")
    assert modes(data) == {"files": {"600"}, "folders": {"700"}}


@pytest.mark.parametrize(
    "name",
    [
        *("alerts.json", "audit.json", "build.json", "compiled.json", "config_seen.json"),
        *("scheduler.json", "writer.json", "spark.log", "sent.jsonl", "writer.lock"),
    ],
)
def test_a_file_that_was_there_is_closed_and_then_given_to_the_group(
    tmp_path: Path, name: str
) -> None:
    group, table = other_group(), {"warehouse": {"path": "data/w.duckdb"}}
    file = tmp_path / "data" / name
    file.parent.mkdir()
    file.touch(mode=0o666)
    close_to_others(validated_settings(table, home=tmp_path))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    shared = {**table, "files": {"group": group.gr_name}}
    close_to_others(validated_settings(shared, home=tmp_path))
    assert (file.stat().st_gid, stat.S_IMODE(file.stat().st_mode)) == (group.gr_gid, 0o640)


def test_a_folder_that_holds_the_config_keeps_its_mode_and_its_other_files(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "closes").mkdir()
    tmp_path.chmod(0o755)
    close_to_others(validated_settings({"warehouse": {"path": "warehouse.duckdb"}}, home=tmp_path))
    found = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert found == {"notes.txt": 0o666, "closes": 0o700}
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_a_group_reads_what_was_there_and_what_comes(closed_month: World) -> None:
    group = other_group()
    config(closed_month, f'files.group = "{group.gr_name}"')
    run(closed_month, "ingest")
    run(closed_month, "send", "2025-08", "--again")
    config(closed_month, "")
    data = closed_month.folder / "data"
    found = modes(data)
    assert found["folders"] == {"2750"}
    assert found["files"] <= {"640", "600"}
    assert {path.stat().st_gid for path in data.rglob("*")} == {group.gr_gid}
    bills = {stat.S_IMODE(path.stat().st_mode) for path in (data / "raw").rglob("*.parquet")}
    assert bills == {0o640}
    sent = [path for path in (closed_month.folder / "finance").iterdir() if path.is_file()]
    assert {(path.stat().st_gid, path.stat().st_mode & 0o777) for path in sent} == {
        (group.gr_gid, 0o640)
    }


def test_what_lets_somebody_in_is_opened_to_no_group(tmp_path: Path) -> None:
    table = {"warehouse": {"path": "data/w.duckdb"}, "files": {"group": other_group().gr_name}}
    settings = validated_settings(table, home=tmp_path)
    close_to_others(settings)
    secret_key(settings.data)
    EndedSessions(settings.data).add("s1", time.time() + 60)
    (settings.data / "tokens.json").touch(mode=0o666)
    assert stat.S_IMODE((settings.data / "web.json").stat().st_mode) == 0o600
    (settings.data / "web.json").chmod(0o640)
    close_to_others(settings)
    found = {path.name: stat.S_IMODE(path.stat().st_mode) for path in settings.data.glob("*.json")}
    assert found == dict.fromkeys(("web.json", "ended_sessions.json", "tokens.json"), 0o600)


def test_a_link_to_nothing_stops_nobody_and_one_to_another_file_leaves_it(tmp_path: Path) -> None:
    settings = validated_settings({"warehouse": {"path": "data/w.duckdb"}}, home=tmp_path)
    outside = tmp_path / "outside"
    outside.touch(mode=0o644)
    settings.data.mkdir()
    (settings.data / "spark.log").symlink_to(tmp_path / "nothing")
    (settings.data / "tokens.json").symlink_to(tmp_path / "nothing")
    (settings.data / "sent.jsonl").symlink_to(outside)
    (settings.data / "deliveries.jsonl").touch(mode=0o666)
    close_to_others(settings)
    assert stat.S_IMODE(outside.stat().st_mode) == 0o644
    assert stat.S_IMODE((settings.data / "deliveries.jsonl").stat().st_mode) == 0o600


def test_root_is_sent_to_the_user_whose_warehouse_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A month that root closed would not be there for the service, which would sweep its bill."""
    settings = validated_settings({}, home=tmp_path)
    (settings.data / "raw").mkdir(parents=True)
    if os.geteuid() == 0:
        os.chown(settings.data, 65534, -1)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(
        ConfigError, match=r"another user's.*data \(run it as that user: sudo -u '#"
    ):
        close_to_others(settings)


def test_an_unknown_group_is_refused_in_one_line(tmp_path: Path) -> None:
    settings = validated_settings({"files": {"group": "nobody-of-that-name"}}, home=tmp_path)
    with pytest.raises(ConfigError) as refused:
        close_to_others(settings)
    assert str(refused.value) == (
        "files.group: no group of this name: nobody-of-that-name (`getent group` lists them)"
    )
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(("beside", "mode"), [([], 0o700), (["letters"], 0o755)])
def test_a_folder_that_holds_what_is_not_ours_keeps_its_mode(
    tmp_path: Path, beside: list[str], mode: int
) -> None:
    """Else root would shut everybody out of `/tmp`."""
    data = tmp_path / "elsewhere"
    (data / "raw").mkdir(parents=True)
    for name in beside:
        (data / name).touch()
    data.chmod(0o755)
    home = tmp_path / "home"
    close_to_others(validated_settings({"warehouse": {"path": data / "w.duckdb"}}, home=home))
    assert stat.S_IMODE(data.stat().st_mode) == mode
    assert stat.S_IMODE((data / "raw").stat().st_mode) == 0o700


def test_a_warehouse_that_is_no_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    pipe = tmp_path / "null"
    os.mkfifo(pipe, 0o666)
    settings = validated_settings({"warehouse": {"path": pipe}}, home=tmp_path / "home")
    with pytest.raises(ConfigError, match=r"warehouse\.path is not a file: "):
        close_to_others(settings)
    assert stat.S_IMODE(pipe.stat().st_mode) == 0o666
