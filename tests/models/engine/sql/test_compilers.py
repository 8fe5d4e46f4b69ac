"""The reduction says the same in every engine's words, and on Spark it gives the same rows."""

from __future__ import annotations

import re
from pathlib import Path

import ibis
import ibis.expr.types as ir
import pytest

from models import formats
from models.config.loading import validated_settings
from models.config.settings import Settings
from models.contract import schema
from models.contract.errors import ConfigError, DialectError
from models.engine.sql import compilers, delivered_sql, mart_sql, rendering
from models.engine.sql.sql_cache import CompiledSql, SqlCache
from models.formats.bill.cur2 import columns as cur2_columns
from models.marts import MARTS

ROOT = Path(__file__).parents[4]
HOW_TO = ROOT / "docs/how-to/trace-number.md"
SAMPLE = ROOT / "data" / "sample"
MONTHS = {
    "1.0": SAMPLE / "focus-1-0/data/BILLING_PERIOD=2025-08/focus-1-0-00001.snappy.parquet",
    "1.2": SAMPLE / "focus-1-2/data/BILLING_PERIOD=2026-01/focus-1-2-00001.snappy.parquet",
}
MAPS = {
    "resource_tags": "map<string, string>",
    "product": "map<string, string>",
    cur2_columns.PARENT: "string",
    cur2_columns.PERIOD: "timestamp",
}
HALVED = re.compile(r"\n( *)WHERE\n(?:\1 .*\n)+\1QUALIFY")
"""A condition of which Ibis made two: rows go before the windows are summed."""
CHARGES = [form.NAME for form in formats.FORMATS if form.VIEW == "charges"]


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    rule = {"match": {"Name": "atlas-*"}, "workload": "atlas-13b", "from": "2025-07-01"}
    tags = {"extra": ["purpose", "recipe", "team"]}
    table = {"as_of": "2025-10-31", "tags": tags, "tag_rules": [rule]}
    return validated_settings(table, home=tmp_path_factory.mktemp("engines"))


def delivered(name: str) -> ir.Table:
    """Lines of a format with the columns it cannot do without, and FOCUS as delivered."""
    if name == "focus":
        return ibis.duckdb.connect().read_parquet(MONTHS["1.2"])
    columns = formats.named(name).REQUIRED
    if name == "cur2":
        return ibis.table(
            {**dict.fromkeys((*columns, *cur2_columns.AMOUNTS), "string"), **MAPS}, name="lines"
        )
    net = ("net_amortized", "net_unblended")
    optional = ("usage_type", "record_type", "service", "usage_quantity", "run", *net)
    return ibis.table(dict.fromkeys((*columns, *optional), "string"), name="lines")


@pytest.fixture(scope="module")
def reductions(config: Settings) -> dict[str, ir.Table]:
    """Of each format, said once: engines differ in their words."""
    return {name: delivered_sql.reduction(delivered(name), name, config) for name in CHARGES}


@pytest.mark.parametrize("dialect", list(compilers.COMPILERS))
@pytest.mark.parametrize("name", CHARGES)
def test_the_reduction_of_each_format_compiles_for_each_engine(
    reductions: dict[str, ir.Table], name: str, dialect: str
) -> None:
    text = rendering.sql(reductions[name], dialect)
    assert "GROUP BY" in text
    assert "EffectiveCost" in text or "amortized" in text


@pytest.mark.parametrize("dialect", list(compilers.COMPILERS))
def test_the_reduction_can_be_shown_in_every_dialect(config: Settings, dialect: str) -> None:
    assert "SELECT" in mart_sql.sql_of_mart("spend_reduced", config, dialect)


def test_every_mart_has_its_sql_and_only_the_contracts_columns(config: Settings) -> None:
    said = mart_sql.texts(config, SqlCache(config.data))
    assert set(said) == {"spend_reduced", *(mart.__name__ for mart in MARTS)}
    for name, columns in schema.MARTS.items():
        wanted = schema.with_tags(columns, config.tags.extra)
        assert list(said[name].columns) == list(wanted), name
    assert said["spend_daily"].text == mart_sql.sql_of_mart("spend_daily", config, "duckdb")
    assert [name for name, sql in said.items() if HALVED.search(sql.text)] == []


def test_a_condition_on_a_window_and_on_rows_is_two_conditions() -> None:
    """The rows that the first drops are in no sum of the second: a filter may ask one of them."""
    works = ibis.table({"runs": "int64", "work": "int64"}, name="works")
    whole = works.work.sum().over(ibis.window())
    enough = works.runs >= 2
    assert HALVED.search(rendering.sql(works.filter(enough & (works.work * 10 >= whole))))
    works = works.mutate(whole=whole)
    apart = works.filter((works.runs >= 2) & (works.work * 10 >= works.whole))
    assert not HALVED.search(rendering.sql(apart))


def test_dropped_columns_are_named_in_one_order() -> None:
    """Else the same reduction reads otherwise in another process, and every bill is read again."""
    names = [f"column {number}" for number in range(10, 60)]
    lines = ibis.table(dict.fromkeys(names, "string"), name="lines")
    dropped = ", ".join(f'"{name}"' for name in names[:8])
    assert f"EXCLUDE ({dropped})" in " ".join(rendering.sql(lines.drop(*names[:8])).split())


def test_a_name_that_is_no_number_gets_the_nearest_one(config: Settings) -> None:
    with pytest.raises(ConfigError, match="did you mean spend_daily") as caught:
        mart_sql.sql_of_mart("spend_dayly", config, "duckdb")
    assert "\n" not in str(caught.value)


def test_what_an_engine_cannot_say_is_refused_in_one_line(config: Settings) -> None:
    with pytest.raises(DialectError, match="--dialect duckdb") as caught:
        mart_sql.sql_of_mart("final_losses", config, "athena")
    assert "\n" not in str(caught.value)


def test_the_page_names_the_marts_that_a_dialect_cannot_compute(config: Settings) -> None:
    others = [dialect for dialect in compilers.COMPILERS if dialect != "duckdb"]  # it has them all
    assert {dialect: _refused(config, dialect) for dialect in others} == {
        "spark": {"baselines", "benchmarks", "pools", "progress_daily"},
        "athena": {"baselines", "benchmarks", "cost_per_epoch", "runs"},
        "trino": {"benchmarks", "cost_per_epoch"},
    }
    [note] = re.findall(
        r"lacks a function, the error names it: (.*?)\n\n", HOW_TO.read_text(encoding="utf-8"), re.S
    )
    assert " ".join(note.split()) == (
        "`runs` in Athena, `baselines` in Spark and Athena, "
        "`benchmarks` in all but DuckDB, `cost_per_epoch` in Athena and Trino, "
        "`pools` and `progress_daily` in Spark."
    )


def _refused(config: Settings, dialect: str) -> set[str]:
    """Marts that a dialect cannot compute; compiled once for the same code, as all other SQL."""
    about = ("refused by a dialect", dialect, config.model_dump_json())
    made = SqlCache(config.data).get(about, lambda: CompiledSql("", _tried(config, dialect)))
    return {name for name, refused in made.columns.items() if refused}


def _tried(config: Settings, dialect: str) -> dict[str, str]:
    planned = mart_sql.plan(config)
    return {name: _refusal(planned[name], dialect) for name in ("spend_reduced", *schema.MARTS)}


def _refusal(mart: ir.Table, dialect: str) -> str:
    try:
        rendering.sql(mart, dialect)
    except DialectError as refused:
        return str(refused)
    return ""
