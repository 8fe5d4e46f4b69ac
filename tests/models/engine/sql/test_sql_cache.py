"""What was compiled is not compiled again, and never outlives what it was made of."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest
from pydantic import BaseModel

from models.engine.sql.sql_cache import FILE, CompiledSql, SqlCache

ONE = CompiledSql("SELECT 1 AS b, 'x' AS a", {"b": "int8", "a": "string"})
TWO = CompiledSql("SELECT 2 AS a", {"a": "int8"})


@pytest.fixture(autouse=True)
def fresh_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SqlCache, "_process", {})


def again(*_: object) -> NoReturn:
    raise AssertionError("compiled again")


def test_the_next_process_reads_what_this_one_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = SqlCache(tmp_path)
    assert known.get(("a", 1), lambda: ONE) == ONE
    known.save()
    monkeypatch.setattr(SqlCache, "_process", {})
    read = SqlCache(tmp_path).get(("a", 1), again)
    assert read == ONE
    assert list(read.columns) == ["b", "a"]


def test_what_it_is_about_tells_texts_apart(tmp_path: Path) -> None:
    known = SqlCache(tmp_path)
    assert known.get(("a", 1), lambda: ONE) == ONE
    assert known.get(("a", 2), lambda: TWO) == TWO
    assert known.get(("a", 1), again) == ONE


def test_a_file_that_cannot_be_read_is_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for damaged in ("", "{", "[1]", '{"mark": 7}', '{"mark": ["SELECT"]}'):
        monkeypatch.setattr(SqlCache, "_process", {})
        (tmp_path / FILE).write_text(damaged)
        known = SqlCache(tmp_path)
        assert known.get(("a",), lambda: ONE) == ONE
        known.save()
        monkeypatch.setattr(SqlCache, "_process", {})
        assert SqlCache(tmp_path).get(("a",), again) == ONE


def test_a_text_that_nobody_asked_for_since_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = SqlCache(tmp_path)
    known.get(("yesterday",), lambda: ONE)
    known.save()
    known.get(("today",), lambda: TWO)
    known.save()
    monkeypatch.setattr(SqlCache, "_process", {})
    kept = SqlCache(tmp_path)
    assert kept.get(("yesterday",), lambda: TWO) == TWO
    assert kept.get(("today",), again) == TWO


class Inner(BaseModel):
    width: int = 1
    depth: int = 1


class Outer(BaseModel):
    inner: Inner = Inner()
    other: int = 1


def test_only_what_it_read_of_the_settings_makes_another_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Depth is read where the width is 2 alone; the other number never."""

    def made(settings: Outer) -> CompiledSql:
        depth = settings.inner.depth if settings.inner.width == 2 else 0
        return CompiledSql(f"SELECT {settings.inner.width}, {depth}", {"a": "int8"})

    def said(known: SqlCache, **inner: int) -> str:
        return known.get_for_settings(("a",), Outer(inner=Inner(**inner)), made).text

    known = SqlCache(tmp_path)
    assert said(known) == "SELECT 1, 0"
    assert known.get_for_settings(("a",), Outer(other=2), again).text == "SELECT 1, 0"
    assert said(known, depth=3) == "SELECT 1, 0"
    assert said(known, width=2, depth=3) == "SELECT 2, 3"
    assert said(known, width=2, depth=4) == "SELECT 2, 4"
    assert said(known, width=1, depth=4) == "SELECT 1, 0"
    known.save()
    monkeypatch.setattr(SqlCache, "_process", {})
    kept = SqlCache(tmp_path)
    asked = Outer(inner=Inner(width=2, depth=4))
    assert kept.get_for_settings(("a",), asked, again).text == "SELECT 2, 4"


def test_what_an_expression_calls_cannot_be_known_and_is_our_mistake(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="model_copy is a method"):
        SqlCache(tmp_path).get_for_settings(
            ("a",), Outer(), lambda read: CompiledSql(str(read.model_copy()), {})
        )
