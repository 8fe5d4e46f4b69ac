"""A first build has the marts' SQL compiled beside it; without that it compiles them itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from models.config.loading import validated_settings
from models.config.settings import Settings
from models.engine.sql import compiling_apart, mart_sql
from models.engine.sql.sql_cache import FILE, SqlCache

FEW = 12
"""Marts that are compiled here; all of them would take five seconds more to say the same."""
COMPILES_FEW = f"""
import runpy
from models.engine.sql import mart_sql
mart_sql.MARTS = mart_sql.MARTS[:{FEW}]
runpy.run_module("{compiling_apart.__name__}", run_name="__main__")"""


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setattr(SqlCache, "_process", {})
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    found = validated_settings({"tags": {"extra": ["team"]}}, home=tmp_path)
    found.data.mkdir(parents=True, exist_ok=True)
    return found


def refused(*_: object, **__: object) -> NoReturn:
    raise AssertionError("begun again")


def test_every_text_comes_from_the_other_process(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    *python, option, module = compiling_apart.COMMAND
    assert (option, module) == ("-m", compiling_apart.__name__)
    monkeypatch.setattr(compiling_apart, "COMMAND", (*python, "-c", COMPILES_FEW))
    monkeypatch.setattr(mart_sql, "MARTS", mart_sql.MARTS[:FEW])
    cache = SqlCache(settings.data)
    with compiling_apart.compiling_apart(settings, cache) as texts_ready:
        texts_ready()
    monkeypatch.setattr(mart_sql, "compile_mart", refused)
    assert len(mart_sql.texts(settings, cache)) == FEW + 1
    monkeypatch.setattr(subprocess, "Popen", refused)
    with compiling_apart.compiling_apart(settings, cache) as texts_ready:
        texts_ready()


def test_where_it_fails_the_cache_stays_as_it_was(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling_apart, "COMMAND", (sys.executable, "-c", "raise SystemExit(3)"))
    cache = SqlCache(settings.data)
    with compiling_apart.compiling_apart(settings, cache) as texts_ready:
        texts_ready()
    assert not mart_sql.is_compiled(settings, cache)
    assert not (settings.data / FILE).exists()


def test_what_ends_the_build_ends_the_other_process(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def watched(*command: object, **options: object) -> subprocess.Popen[bytes]:
        begun.append(start(*command, **options))  # type: ignore[call-overload]
        return begun[0]

    monkeypatch.setattr(subprocess, "Popen", watched)
    with (
        pytest.raises(KeyboardInterrupt),
        compiling_apart.compiling_apart(settings, SqlCache(settings.data)),
    ):
        raise KeyboardInterrupt
    assert begun[0].returncode is not None
