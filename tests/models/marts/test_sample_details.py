"""What the sample's marts say besides their headline: a second reckoning in plain SQL.

Over the delivered lines (`bill`), the logs, prices and config as files, and marts that the other
files of the sample reckon a second time.
"""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

Sql = duckdb.DuckDBPyConnection
LAST = "DATE '2026-10-28'"
"""The last settled day: three before the newest line."""
LOGS = """(SELECT observed_at::TIMESTAMP AS seen, workload, run, epoch, loss
    FROM read_csv('data/sample/progress/*.csv', union_by_name = true))"""
LISTED = """(SELECT instance_type, region, usd_per_hour::DECIMAL(18, 9) AS usd,
        effective_from::DATE AS since, observed_on::DATE AS seen
    FROM read_csv('data/prices.csv', all_varchar = true) WHERE purchase_option = 'on_demand')"""
SAVED = "(SELECT * FROM savings_daily UNION ALL SELECT * FROM portfolio_daily)"
DAYS = f"""(
    SELECT workload, run, date, sum(cost) AS cost, sum(machines) AS machines,
        sum(epochs) AS epochs, sum(again) AS again
    FROM (SELECT workload, run, date, effective_cost AS cost, 0 AS epochs, 0 AS again,
                CASE component WHEN 'accelerator' THEN effective_cost ELSE 0 END AS machines
            FROM spend_daily WHERE run IS NOT NULL
        UNION ALL SELECT workload, run, date, 0, epochs, repeated_epochs, 0 FROM progress_daily)
    WHERE date <= {LAST} GROUP BY ALL)"""
BEGUN = f"""(
    SELECT *, min(date) FILTER (epochs > 0 OR again > 0) OVER (PARTITION BY workload, run) AS begun
    FROM {DAYS})"""


def check(sample: Sql, keys: str, product: str, truth: str, least: int) -> None:
    """Both queries have the same keys, and `given` within a millionth of `due`, null as null."""
    both = f"(WITH a AS ({product}), b AS ({truth}) SELECT * FROM a FULL JOIN b USING ({keys}))"
    off = f"""SELECT * FROM {both} WHERE (given IS NULL) <> (due IS NULL)
        OR abs(given - due) > 0.000001 ORDER BY ALL LIMIT 10"""
    assert sample.execute(off).fetchall() == []
    ((count,),) = sample.execute(f"SELECT count(due) FROM {both}").fetchall()
    assert count >= least


@pytest.mark.parametrize(
    ("column", "truth"),
    [
        ("cost_per_epoch", "sum(cost) / nullif(sum(epochs), 0)"),
        (
            "idle_cost - coalesce(startup_cost, 0)",
            """coalesce(sum(cost) FILTER (epochs = 0 AND again = 0), 0)
                - coalesce(sum(machines) FILTER (date < begun), 0)""",
        ),
        (
            "repeated_cost * (epochs + repeated_epochs) / nullif(cost - idle_cost, 0)",
            "CASE WHEN sum(epochs) + sum(again) > 0 THEN sum(again) END",
        ),
    ],
)
def test_what_a_runs_days_cost(sample: Sql, column: str, truth: str) -> None:
    """Start-up is idle too: of whole days before the first progress, and of a part of its day."""
    product = f"SELECT workload, run, {column} AS given FROM runs"
    due = f"SELECT workload, run, {truth} AS due FROM {BEGUN} GROUP BY ALL"
    check(sample, "workload, run", product, due, 60)


def test_a_runs_components_and_list_cost(sample: Sql) -> None:
    columns = "accelerator_cost, storage_cost, network_cost, other_cost, list_cost"
    product = f"""SELECT workload, run, name, value AS given
        FROM (UNPIVOT runs ON {columns}) WHERE value <> 0"""
    spent = f"FROM spend_daily WHERE run IS NOT NULL AND date <= {LAST} GROUP BY ALL"
    truth = f"""
        SELECT workload, run, component || '_cost' AS name, sum(effective_cost) AS due {spent}
        UNION ALL SELECT workload, run, 'list_cost', sum(list_cost) {spent}
        HAVING count(*) = count(list_cost)"""
    check(sample, "workload, run, name", product, truth, 150)


def test_cost_until_the_loss_first_reached_the_target(sample: Sql) -> None:
    product = """SELECT lineage, sum(cost_to_target_loss) AS given FROM runs
        WHERE workload = 'atlas-13b' GROUP BY 1 HAVING given IS NOT NULL"""
    truth = f"""
        WITH told AS (SELECT lineage, seen, loss FROM {LOGS} JOIN runs USING (workload, run)
            WHERE workload = 'atlas-13b'),
        there AS (SELECT lineage, min(seen) AS hit FROM told WHERE loss <= 1.85 GROUP BY 1),
        charged AS (SELECT lineage, max(date) AS final
            FROM spend_daily JOIN runs USING (workload, run) WHERE workload = 'atlas-13b'
            AND (attribution = 'direct' OR spend_daily.platform IS NOT NULL) GROUP BY 1),
        machines AS (SELECT lineage, starts, ends FROM bill JOIN runs USING (workload, run)
            WHERE category = 'Usage' AND usage SIMILAR TO '.*(:|\\.)(p\\d|trn).*'),
        active AS (SELECT lineage, seen AS starts, seen AS ends FROM told
            UNION ALL FROM machines),
        spans AS (SELECT lineage, hit, hit::DATE AS day, greatest(min(starts), hit::DATE) AS since,
                CASE WHEN final > hit::DATE THEN hit::DATE + INTERVAL 1 DAY
                    ELSE least(max(ends), hit::DATE + INTERVAL 1 DAY) END AS until
            FROM active JOIN there USING (lineage) JOIN charged USING (lineage)
            GROUP BY lineage, hit, final)
        SELECT lineage, sum(CASE WHEN date < day THEN d.cost
            ELSE d.cost * epoch(hit - since) / epoch(until - since) END) AS due
        FROM {DAYS} AS d JOIN runs USING (workload, run) JOIN spans USING (lineage)
        WHERE workload = 'atlas-13b' AND date <= day AND day <= {LAST} GROUP BY 1"""
    check(sample, "lineage", product, truth, 20)


def test_the_bridge_is_what_amortisation_moved(sample: Sql) -> None:
    product = "SELECT month, account, basis, bridge AS given FROM tie_out"
    truth = """SELECT month, account, 'effective' AS basis, sum(effective - billed) AS due FROM bill
        GROUP BY ALL UNION ALL SELECT DISTINCT month, account, 'billed', 0 FROM bill"""
    check(sample, "month, account, basis", product, truth, 60)


MONTHS = ("gpu_cost", "trn_cost", "gpu_epochs", "trn_epochs")
MAIN = """main AS (
    SELECT workload, arg_max(recipe, (trn, gpu)) AS main_recipe FROM (
        SELECT workload, recipe, coalesce(sum(cost) FILTER (hardware = 'trainium'), 0) AS trn,
            coalesce(sum(cost) FILTER (hardware = 'gpu'), 0) AS gpu
        FROM runs WHERE purpose IN ('production', 'baseline') GROUP BY ALL) GROUP BY 1)"""
"""The recipe with most Trainium cost of each workload, else with most GPU cost."""


def test_a_months_costs_and_epochs_a_side(sample: Sql) -> None:
    names = ", ".join(MONTHS)
    product = f"""SELECT month, workload, name, value AS given
        FROM (UNPIVOT monthly_summary ON {names}) WHERE value <> 0"""
    truth = f"""
        WITH {MAIN}, ran AS (SELECT strftime(date, '%Y-%m') AS month, d.*, recipe, main_recipe,
                CASE hardware WHEN 'gpu' THEN 'gpu' ELSE 'trn' END AS side
            FROM {DAYS} AS d JOIN runs USING (workload, run) JOIN main USING (workload)
            WHERE purpose IN ('production', 'baseline')),
        owned AS (SELECT * FROM ran UNION ALL SELECT * REPLACE ('(portfolio)' AS workload) FROM ran)
        SELECT month, workload, side || '_cost' AS name, sum(cost) AS due FROM owned
        GROUP BY ALL HAVING due <> 0
        UNION ALL SELECT month, workload, side || '_epochs', sum(epochs) AS due FROM owned
        WHERE recipe = main_recipe GROUP BY ALL HAVING due <> 0"""
    check(sample, "month, workload, name", product, truth, 150)


@pytest.mark.parametrize("side", ["gpu", "trn"])
def test_a_months_cost_per_epoch(sample: Sql, side: str) -> None:
    check(
        sample,
        "month, workload",
        f"""SELECT month, workload, {side}_cost_per_epoch AS given FROM monthly_summary
        WHERE workload <> '(portfolio)' AND {side}_epochs > 0""",
        f"""SELECT strftime(period_start, '%Y-%m') AS month, workload, cost_per_epoch AS due
        FROM cost_per_epoch WHERE period = 'month' AND main
            AND hardware = '{"gpu" if side == "gpu" else "trainium"}'""",
        10,
    )


def test_a_baseline_of_a_month_is_that_of_its_last_settled_day(sample: Sql) -> None:
    product = """SELECT month, workload, baseline_value AS given FROM monthly_summary
        WHERE workload <> '(portfolio)'"""
    truth = f"""SELECT strftime(date, '%Y-%m') AS month, workload, arg_max(value, date) AS due
        FROM (SELECT * FROM baselines JOIN savings_daily USING (date, workload)
            WHERE main AND settled AND date <= {LAST} AND value IS NOT NULL) GROUP BY ALL"""
    check(sample, "month, workload", f"{product} AND baseline_value IS NOT NULL", truth, 50)


@pytest.mark.parametrize(
    ("total", "flow"),
    [
        ("cumulative_net_saving", "net_saving"),
        ("cumulative_investment", "investment"),
        ("cumulative_net", "net_saving - investment"),
    ],
)
def test_running_totals_add_up_day_by_day(sample: Sql, total: str, flow: str) -> None:
    known = f"""WITH told AS (SELECT *, bool_or(net_saving IS NULL) OVER days AS unknown
        FROM {SAVED} WHERE settled WINDOW days AS (PARTITION BY workload ORDER BY date))"""
    product = f"{known} SELECT workload, date, {total} AS given FROM told WHERE NOT unknown"
    truth = f"""{known} SELECT workload, date,
            sum({flow}) OVER (PARTITION BY workload ORDER BY date) AS due
        FROM told WHERE NOT unknown"""
    check(sample, "workload, date", product, truth, 2000)


def test_the_portfolio_is_the_sum_of_its_workloads(sample: Sql) -> None:
    names = "trn_cost, epochs, credited_epochs, counterfactual, gross_saving, saving_at_list"
    of = "FROM (UNPIVOT (SELECT * FROM {} WHERE settled) ON {})"
    product = f"SELECT date, name, value AS given {of.format('portfolio_daily', names)}"
    truth = f"SELECT date, name, sum(value) AS due {of.format('savings_daily', names)} GROUP BY ALL"
    check(sample, "date, name", product, truth, 2000)


def test_saving_at_list_is_the_baseline_at_list_less_list_cost(sample: Sql) -> None:
    product = """SELECT workload, sum(saving_at_list) AS given FROM savings_daily
        WHERE saving_at_list <> 0 GROUP BY 1"""
    truth = """
        WITH spent AS (
            SELECT s.workload, s.date, sum(s.list_cost) AS listed FROM spend_daily AS s
            JOIN runs AS r USING (workload, run)
            WHERE r.hardware = 'trainium' AND r.purpose = 'production'
                AND r.comparability = 'comparable' GROUP BY ALL)
        SELECT workload, sum(value_at_list * credited_epochs - coalesce(listed, 0)) AS due
        FROM savings_daily JOIN baselines USING (date, workload)
        LEFT JOIN spent USING (date, workload)
        WHERE settled AND saving_at_list IS NOT NULL AND saving_at_list <> 0 GROUP BY 1"""
    check(sample, "workload", product, truth, 3)


def invested() -> pa.Table:
    """The entries of the sample's config."""
    config = tomllib.loads(Path("data/sample/breakeven.toml").read_text(encoding="utf-8"))
    return pa.Table.from_pylist(
        [
            {
                "workload": entry.get("workload"),
                "kind": entry["kind"],
                "date": date.fromisoformat(str(entry["date"])),
                "once": entry.get("amount", entry.get("days", 0) * entry.get("day_rate", 0)),
                "monthly": entry.get("amount_per_month"),
            }
            for entry in config["investments"]
        ]
    )


CUT = """(SELECT workload, min(started_at)::DATE AS since FROM runs
    WHERE hardware = 'trainium' AND purpose = 'production' GROUP BY ALL)"""
OUTLAYS = f"""(
    SELECT date, workload, kind, once::DOUBLE AS amount FROM entries WHERE kind <> 'upkeep'
    UNION ALL SELECT s.date, workload, r.purpose, sum(s.effective_cost)::DOUBLE
    FROM spend_daily AS s JOIN runs AS r USING (workload, run)
    LEFT JOIN {CUT} AS cut USING (workload)
    WHERE s.date <= {LAST} AND (r.purpose IN ('port', 'validation')
        OR r.purpose = 'baseline' AND r.hardware = 'gpu' AND r.started_at::DATE > cut.since)
    GROUP BY ALL
    UNION ALL SELECT s.date, workload, 'overhead_before_cutover', sum(s.effective_cost)::DOUBLE
    FROM spend_daily AS s LEFT JOIN {CUT} AS cut USING (workload)
    WHERE s.attribution = 'overhead' AND s.hardware = 'trainium' AND s.date <= {LAST}
        AND s.date < coalesce(cut.since, DATE '9999-12-31') GROUP BY ALL)"""
UPKEEP = """(
    SELECT day::DATE AS date, coalesce(workload, '(portfolio)') AS workload,
        monthly / day(last_day(day)) AS amount
    FROM (SELECT *, unnest(generate_series(date, DATE '2026-10-31', INTERVAL 1 DAY)) AS day
        FROM entries WHERE kind = 'upkeep'))"""


def test_investment_is_what_the_config_says_and_what_porting_cost(sample: Sql) -> None:
    sample.register("entries", invested())
    product = """SELECT coalesce(workload, '') AS owner, kind, date_trunc('month', date) AS month,
            sum(amount) AS given FROM investments GROUP BY ALL"""
    truth = f"""SELECT coalesce(workload, '') AS owner, kind, date_trunc('month', date) AS month,
            sum(amount) AS due FROM {OUTLAYS} GROUP BY ALL"""
    check(sample, "owner, kind, month", product, truth, 15)
    daily = f"""SELECT date, workload, investment AS given FROM {SAVED}
        WHERE settled AND investment <> 0"""
    due = f"""SELECT date, workload, sum(amount) AS due FROM (
            SELECT * FROM {OUTLAYS} WHERE workload IS NOT NULL
            UNION ALL SELECT * REPLACE ('(portfolio)' AS workload) FROM {OUTLAYS})
        WHERE date <= {LAST} GROUP BY ALL"""
    check(sample, "date, workload", daily, due, 200)


def test_upkeep_is_a_part_of_the_overhead_of_each_day(sample: Sql) -> None:
    sample.register("entries", invested())
    daily = f"SELECT date, workload, upkeep AS given FROM {SAVED} WHERE settled AND upkeep <> 0"
    due = f"""SELECT date, workload, sum(amount) AS due FROM (
            SELECT * FROM {UPKEEP}
            UNION ALL SELECT * REPLACE ('(portfolio)' AS workload) FROM {UPKEEP})
        WHERE date <= {LAST} GROUP BY ALL"""
    check(sample, "date, workload", daily, due, 200)
    off = f"SELECT count(*) FROM {SAVED} WHERE settled AND overhead < upkeep"
    assert sample.execute(off).fetchall() == [(0,)]


RAN = """(
    SELECT workload, run, date, sum(effective_cost) AS cost, 0 AS epochs
    FROM spend_daily WHERE run IS NOT NULL GROUP BY ALL
    UNION ALL SELECT workload, run, date, 0, epochs FROM progress_daily)"""


def test_what_counts_with_a_flag_in_dollars(sample: Sql) -> None:
    """Of each Trainium run's settled days: its quality's flag, and those of the day's baseline.

    A run's first epochs are credited, as many as it is credited in all.
    """
    product = """SELECT workload, entry.key AS reason, entry.value AS given
        FROM (SELECT workload, unnest(map_entries(flagged)) AS entry FROM break_even)"""
    truth = f"""
        WITH named AS (
            SELECT workload, date, if(flag = 'stale', 'stale_baseline', flag) AS reason
            FROM (SELECT workload, date, unnest(flags) AS flag FROM baselines)),
        saved AS (
            SELECT ran.workload, ran.date, r.parity, r.flags,
                value * (least(so_far, credited_epochs)
                    - least(so_far - ran.epochs, credited_epochs)) - ran.cost AS dollars
            FROM (SELECT *, sum(epochs) OVER (PARTITION BY workload, run ORDER BY date) AS so_far
                FROM {RAN}) AS ran JOIN runs AS r USING (workload, run)
                JOIN baselines AS b ON b.workload = ran.workload AND b.date = ran.date
            WHERE hardware = 'trainium' AND purpose = 'production' AND ran.date <= {LAST}
                AND comparability = 'comparable' AND value IS NOT NULL),
        odd AS (
            SELECT workload, parity AS reason, dollars FROM saved
            WHERE parity IN ('pending', 'unverified')
            UNION ALL SELECT workload, 'short', dollars FROM saved
            WHERE list_contains(flags, 'short')
            UNION ALL SELECT workload, reason, dollars FROM saved JOIN named USING (workload, date)
            WHERE reason IN ('stale_price', 'price_unavailable', 'stale_baseline')),
        owned AS (SELECT * FROM odd UNION ALL SELECT * REPLACE ('(portfolio)' AS workload) FROM odd)
        SELECT workload, reason, sum(dollars) AS due FROM owned GROUP BY ALL"""
    check(sample, "workload, reason", product, truth, 8)


def test_what_is_left_out_in_dollars(sample: Sql) -> None:
    product = """SELECT workload, entry.key AS reason, entry.value AS given
        FROM (SELECT workload, unnest(map_entries(left_out)) AS entry FROM break_even)
        WHERE reason IN ('unsettled', 'not_comparable')"""
    truth = f"""
        WITH ran AS {RAN},
        odd AS (
            SELECT ran.workload, CASE comparability WHEN 'comparable' THEN 'unsettled'
                    ELSE 'not_comparable' END AS reason,
                CASE comparability WHEN 'comparable' THEN value * ran.epochs - ran.cost
                    ELSE ran.cost END AS saved
            FROM ran JOIN runs USING (workload, run) LEFT JOIN baselines AS b
                ON b.workload = ran.workload AND b.date = ran.date AND b.recipe = runs.recipe
            WHERE hardware = 'trainium' AND purpose = 'production'
                AND (comparability <> 'comparable') = (ran.date <= {LAST})),
        owned AS (SELECT * FROM odd UNION ALL SELECT * REPLACE ('(portfolio)' AS workload) FROM odd)
        SELECT workload, reason, CASE WHEN count(*) = count(saved) THEN sum(saved) END AS due
        FROM owned GROUP BY ALL"""
    check(sample, "workload, reason", product, truth, 5)


def test_the_terms_of_the_last_baseline_add_up_to_it(sample: Sql) -> None:
    product = """SELECT workload, instance_type, region, price AS given FROM baseline_parts
        WHERE price IS NOT NULL AND purchase_option <> 'spot'"""
    truth = f"""SELECT DISTINCT workload, p.instance_type, p.region,
            arg_max(usd, (since, seen)) AS due
        FROM baseline_parts AS p JOIN {LISTED} AS l USING (instance_type, region)
        WHERE since <= p.date AND purchase_option <> 'spot' GROUP BY ALL"""
    check(sample, "workload, instance_type, region", product, truth, 3)
    terms = """SELECT workload, sum(hours_per_epoch * price * least(factor, payer_factor))
            + any_value(other_per_epoch) AS given FROM baseline_parts GROUP BY 1
        HAVING count(DISTINCT platform) = 1 AND count(*) = count(repriced)"""
    stated = """SELECT workload, repriced AS due FROM baselines JOIN
            (SELECT DISTINCT date, workload FROM baseline_parts) USING (date, workload)
        WHERE repriced IS NOT NULL"""
    check(sample, "workload", terms, stated, 3)


def test_changes_of_the_prices_a_baseline_stands_on(sample: Sql) -> None:
    product = """SELECT workload, instance_type, region, effective_from,
            usd_per_hour - previous_usd_per_hour AS given FROM price_changes"""
    truth = f"""
        WITH steps AS (SELECT instance_type, region, since, arg_max(usd, seen) AS usd
            FROM {LISTED} GROUP BY ALL),
        moved AS (SELECT *, usd - lag(usd) OVER (
            PARTITION BY instance_type, region ORDER BY since) AS due FROM steps),
        used AS (SELECT DISTINCT s.workload, s.instance_type, s.region FROM spend_daily AS s
            JOIN runs AS r USING (workload, run) WHERE r.hardware = 'gpu'
            AND r.purpose IN ('production', 'baseline') AND s.component = 'accelerator')
        SELECT workload, instance_type, region, since AS effective_from, due
        FROM used JOIN moved USING (instance_type, region) WHERE due <> 0"""
    check(sample, "workload, instance_type, region, effective_from", product, truth, 5)


def test_dollars_spent_when_a_loss_was_seen(sample: Sql) -> None:
    product = """SELECT workload, run, observed_at, max(cost_so_far) AS given FROM loss_curve
        WHERE workload <> 'quill-6b' GROUP BY ALL"""
    truth = f"""
        WITH spent AS (SELECT workload, lineage, date, sum(effective_cost) AS cost
            FROM spend_daily JOIN (SELECT workload, run, lineage FROM runs) USING (workload, run)
            GROUP BY ALL),
        losses AS (SELECT DISTINCT workload, run, lineage, seen FROM {LOGS}
            JOIN runs USING (workload, run) WHERE loss IS NOT NULL)
        SELECT workload, run, seen AS observed_at,
            sum(cost * CASE WHEN date < seen::DATE THEN 1 ELSE (epoch(seen) % 86400) / 86400 END)
                AS due
        FROM losses JOIN spent USING (workload, lineage) WHERE date <= seen::DATE GROUP BY ALL"""
    check(sample, "workload, run, observed_at", product, truth, 1000)
