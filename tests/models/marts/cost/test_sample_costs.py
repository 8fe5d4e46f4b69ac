"""Costs of the sample against plain SQL over the delivered lines."""

from __future__ import annotations

import duckdb

Sql = duckdb.DuckDBPyConnection
KIND = """CASE
    WHEN category = 'Tax' THEN 'tax'
    WHEN service ILIKE '%support%' THEN 'support'
    WHEN category = 'Credit' THEN 'credit'
    WHEN category = 'Adjustment' OR (correction AND usage = '') THEN 'refund'
    WHEN category = 'Purchase' THEN 'purchase'
    WHEN unused OR usage LIKE '%UnusedBox%' THEN 'idle_commitment'
    WHEN idle THEN 'cluster_idle'
    WHEN workload IS NOT NULL AND run IS NOT NULL THEN 'direct'
    WHEN workload IS NOT NULL THEN 'shared or overhead'
    WHEN regexp_matches(usage, ':(ml\\.)?(p[0-9]|trn|g[0-9])') THEN 'untagged'
    ELSE 'other' END"""
SPENT = "SELECT date, workload, run, hardware, effective_cost AS cost FROM spend_daily"
SETTLED = "DATE '2026-10-28'"


def differences(sample: Sql, left: str, right: str) -> list[tuple[object, ...]]:
    """Rows that only one of two queries has."""
    both = f"WITH a AS ({left}), b AS ({right}) "
    return sample.execute(
        both + "(SELECT 'product', * FROM (FROM a EXCEPT ALL FROM b)) UNION ALL "
        "(SELECT 'truth', * FROM (FROM b EXCEPT ALL FROM a)) ORDER BY ALL LIMIT 20"
    ).fetchall()


def test_every_cent_of_the_bill_stands_in_its_bucket(sample: Sql) -> None:
    product = """
        SELECT billing_period AS month, account, date,
            CASE WHEN attribution IN ('shared', 'overhead') THEN 'shared or overhead'
                ELSE attribution END AS kind,
            sum(effective_cost) AS effective, sum(billed_cost) AS billed,
            sum(contracted_cost) AS contracted
        FROM spend_daily GROUP BY ALL"""
    truth = f"""
        SELECT month, account, date, {KIND} AS kind, sum(effective)::DECIMAL(38, 9),
            sum(billed)::DECIMAL(38, 9), sum(contracted)::DECIMAL(38, 9)
        FROM bill GROUP BY ALL"""
    assert differences(sample, product, truth) == []


def test_list_cost_is_the_bills_where_every_line_has_one(sample: Sql) -> None:
    product = """SELECT date, run, sum(list_cost) AS list FROM spend_daily
        WHERE attribution = 'direct' AND component = 'accelerator' GROUP BY ALL
        HAVING count(*) = count(list_cost)"""
    truth = """SELECT date, run, sum(list)::DECIMAL(38, 9) FROM bill
        WHERE run IS NOT NULL AND workload IS NOT NULL AND NOT coalesce(unused, false)
            AND regexp_matches(usage, ':(p[0-9]|trn)') AND category = 'Usage'
        GROUP BY ALL HAVING count(*) = count(list)"""
    assert differences(sample, product, truth) == []


def test_shares_add_up_to_what_was_shared_and_follow_the_hours(sample: Sql) -> None:
    product = """SELECT date, workload, sum(effective_cost) AS cost FROM spend_daily
        WHERE attribution IN ('shared', 'overhead') GROUP BY ALL"""
    truth = f"""SELECT date, workload, sum(effective)::DECIMAL(38, 9) FROM bill
        WHERE {KIND} = 'shared or overhead' GROUP BY ALL"""
    assert differences(sample, product, truth) == []
    far = """
        WITH hours AS (
            SELECT workload, run, date_trunc('month', date) AS month, sum(accelerator_hours) AS h
            FROM spend_daily WHERE attribution = 'direct' GROUP BY ALL HAVING h > 0),
        shares AS (SELECT *, h / sum(h) OVER (PARTITION BY workload, month) AS share FROM hours),
        whole AS (
            SELECT workload, date, sum(effective) AS cost FROM bill
            WHERE workload IS NOT NULL AND run IS NULL AND usage NOT LIKE '%Box%'
                AND category = 'Usage' GROUP BY ALL)
        SELECT s.date, s.workload, s.run, sum(s.effective_cost) AS given,
            any_value(whole.cost * share) AS due
        FROM spend_daily AS s
        JOIN shares ON s.workload = shares.workload AND s.run = shares.run
            AND date_trunc('month', s.date) = shares.month
        JOIN whole ON s.workload = whole.workload AND s.date = whole.date
        WHERE s.attribution = 'shared' AND s.platform IS NULL
        GROUP BY ALL HAVING abs(given - due) > 0.000001"""
    assert sample.execute(far).fetchall() == []


def test_a_runs_cost_is_its_settled_spend(sample: Sql) -> None:
    product = "SELECT workload, run, cost, unsettled FROM runs"
    truth = f"""SELECT workload, run,
            coalesce(sum(cost) FILTER (date <= {SETTLED}), 0)::DECIMAL(38, 9),
            coalesce(sum(cost) FILTER (date > {SETTLED}), 0)::DECIMAL(38, 9)
        FROM ({SPENT}) WHERE run IS NOT NULL GROUP BY ALL"""
    assert differences(sample, product, truth) == []


def test_the_hardware_of_a_run_is_that_of_most_accelerator_hours(sample: Sql) -> None:
    product = "SELECT workload, run, hardware FROM runs"
    truth = """
        WITH used AS (
            SELECT workload, run, CASE WHEN usage LIKE '%trn1.32xlarge' THEN 'trainium'
                ELSE 'gpu' END AS hardware,
                sum(quantity * CASE WHEN usage LIKE '%trn1.32xlarge' THEN 16 ELSE 8 END) AS hours
            FROM bill WHERE run IS NOT NULL AND workload IS NOT NULL AND category = 'Usage'
                AND NOT coalesce(unused, false) AND regexp_matches(usage, ':(p4d|p4de|trn1)\\.')
            GROUP BY ALL)
        SELECT workload, run, arg_max(hardware, hours) FROM used GROUP BY ALL"""
    assert differences(sample, product, truth) == []


def test_cost_per_epoch_is_cost_over_epochs_of_settled_days(sample: Sql) -> None:
    product = "SELECT period, period_start, workload, hardware, cost, epochs FROM cost_per_epoch"
    truth = f"""
        WITH days AS (
            SELECT date, workload, run, cost, 0 AS epochs FROM ({SPENT}) WHERE run IS NOT NULL
            UNION ALL SELECT date, workload, run, 0, epochs FROM progress_daily),
        kept AS (
            SELECT days.*, runs.hardware FROM days JOIN runs USING (workload, run)
            WHERE runs.purpose IN ('production', 'baseline') AND date <= {SETTLED}),
        periods AS (FROM (VALUES ('week'), ('month')) AS p (period))
        SELECT period, date_trunc(period, date)::DATE, workload, hardware,
            sum(cost)::DECIMAL(38, 9), sum(epochs)::DECIMAL(38, 9)
        FROM kept CROSS JOIN periods GROUP BY ALL"""
    assert differences(sample, product, truth) == []
    quotients = """SELECT * FROM cost_per_epoch WHERE (cost_per_epoch IS NULL) <> (epochs = 0)
        OR abs(cost_per_epoch * epochs - cost) > epochs * 0.0000000005"""
    assert sample.execute(quotients).fetchall() == []


def test_the_tie_out_holds_the_months_lines(sample: Sql) -> None:
    held = """direct + shared + cluster_idle + overhead + idle_commitment + untagged + purchase
        + credit + refund + tax + support + other"""
    product = f"""SELECT month, account, basis, {held} AS held, bill_total, remainder FROM tie_out
        WHERE total_source = 'self_check'"""
    truth = """
        WITH sums AS (
            SELECT month, account, 'billed' AS basis, sum(billed)::DECIMAL(38, 9) AS total
            FROM bill GROUP BY ALL
            UNION ALL SELECT month, account, 'effective', sum(effective)::DECIMAL(38, 9)
            FROM bill GROUP BY ALL)
        SELECT month, account, basis, total, total, 0::DECIMAL(38, 9) FROM sums
        WHERE NOT (basis = 'billed' AND month IN ('2026-08', '2026-09'))"""  # invoiced
    assert differences(sample, product, truth) == []
    invoiced = (
        """SELECT month, account, remainder FROM tie_out WHERE total_source = 'invoice'
        AND (abs(remainder) > 0.005 OR remainder <> bill_total - ("""
        + held
        + "))"
    )
    assert sample.execute(invoiced).fetchall() == []


def test_a_months_pool_is_its_machines_lines_and_the_idle_one_stands_by_reason(sample: Sql) -> None:
    product = """SELECT month, cluster, instance_type, held_hours, idle_hours, unknown_hours, cost,
        idle_cost FROM pools"""
    truth = """SELECT month, 'hpc', 'trn1.32xlarge',
            sum(quantity * 16) FILTER (NOT idle)::DECIMAL(38, 9),
            coalesce(sum(quantity * 16) FILTER (idle), 0)::DECIMAL(38, 9), 0::DECIMAL(38, 9),
            sum(effective)::DECIMAL(38, 9),
            coalesce(sum(effective) FILTER (idle), 0)::DECIMAL(38, 9)
        FROM bill WHERE clustered GROUP BY ALL"""
    assert differences(sample, product, truth) == []
    may = """SELECT unnest(map_entries(idle_by_reason), recursive := true) FROM pools
        WHERE month = '2026-05'"""
    assert [(reason, round(float(cost), 2)) for reason, cost in sample.execute(may).fetchall()] == [
        ("down", 53.43),
        ("drained", 320.56),
        ("health_check", 35.62),
        ("idle", 872.64),
    ]


def test_a_run_of_the_cluster_waited_as_its_scheduler_tells(sample: Sql) -> None:
    product = """SELECT run, wait_hours FROM runs WHERE identified_by = 'allocation'"""
    truth = """SELECT run,
            ((epoch(max(held_from)) - epoch(max(queued_at))) / 3600)::DOUBLE::DECIMAL(38, 9)
        FROM read_csv('data/sample/allocations/hpc.csv') WHERE run IS NOT NULL GROUP BY run"""
    assert differences(sample, product, truth) == []
    assert sample.execute(f"SELECT count(*) FROM ({truth})").fetchall() == [(42,)]
