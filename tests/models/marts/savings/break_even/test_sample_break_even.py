"""Break-even and the months of the sample against a second reckoning."""

from __future__ import annotations

import math
from datetime import date
from decimal import Decimal
from typing import Any

import duckdb
import pytest

Sql = duckdb.DuckDBPyConnection
Row = tuple[Any, ...]
LAST = date(2026, 10, 28)
NINE = Decimal("1e-9")


def rows(sample: Sql, sql: str, *parameters: object) -> list[Row]:
    return sample.execute(sql, list(parameters)).fetchall()


def test_running_totals_and_break_even_follow_from_the_days(sample: Sql) -> None:
    found = rows(
        sample,
        """SELECT b.workload, status, progress, roi, break_even_date, b.cumulative_net,
            s.net, s.spent FROM break_even AS b JOIN (
                SELECT workload, sum(net_saving) AS net, sum(investment) FILTER (settled) AS spent
                FROM (SELECT * FROM savings_daily UNION ALL SELECT * FROM portfolio_daily)
                GROUP BY 1) AS s USING (workload)
        WHERE status IN ('broke_even', 'recovering', 'losing')""",
    )
    assert {row[0] for row in found} == {"(portfolio)", "atlas-13b", "lumen-7b", "scribe-bert"}
    for workload, status, progress, roi, even, cumulative, net, spent in found:
        assert cumulative == net - spent, workload
        assert progress == max(Decimal(0), min(Decimal(1), net / spent)).quantize(NINE)
        assert abs(roi - cumulative / spent) <= NINE
        assert (even is not None) == (status == "broke_even"), workload


def test_break_even_is_the_first_day_from_which_it_stays(sample: Sql) -> None:
    (row,) = rows(
        sample,
        """SELECT max(date) FILTER (cumulative_net < 0) + 1,
            (SELECT break_even_date FROM break_even WHERE workload = 'atlas-13b')
        FROM savings_daily WHERE workload = 'atlas-13b' AND settled""",
    )
    assert row[0] == row[1]


def test_runs_to_break_even_and_payback_of_lumen(sample: Sql) -> None:
    (row,) = rows(
        sample,
        """SELECT b.cumulative_investment - b.cumulative_net_saving, b.runs_to_break_even,
            b.payback_months, b.forward_per_month,
            (SELECT count(DISTINCT lineage) FROM runs WHERE workload = 'lumen-7b'
                AND hardware = 'trainium' AND purpose = 'production'
                AND comparability = 'comparable' AND started_at <= $1
                AND coalesce(ended_at, $1) > $1 - 84),
            (SELECT sum(net_saving) FROM savings_daily WHERE workload = 'lumen-7b'
                AND date > $1 - 84) FROM break_even AS b WHERE workload = 'lumen-7b'""",
        LAST,
    )
    remaining, runs, months, forward, lineages, recent = row
    assert runs == math.ceil(remaining / (recent / lineages))
    assert abs(forward - recent * 52 / 144) <= NINE
    assert Decimal(months) * forward == pytest.approx(remaining)


def test_forward_of_every_workload_and_the_portfolio_is_its_last_84_days(sample: Sql) -> None:
    off = rows(
        sample,
        """WITH ends AS (
            SELECT workload, max(date) AS last FROM savings_daily WHERE settled GROUP BY 1),
        own AS (SELECT workload, sum(gross_saving - overhead) AS net,
                sum(coalesce(gross_saving, 0) - overhead) AS known
            FROM savings_daily JOIN ends USING (workload)
            WHERE date BETWEEN last - 83 AND last GROUP BY 1),
        loose AS (SELECT sum(p.overhead - o.overhead) AS idle FROM portfolio_daily AS p
            JOIN (SELECT date, sum(overhead) AS overhead FROM savings_daily WHERE settled
                GROUP BY 1) AS o USING (date)
            WHERE p.settled AND date > (SELECT max(last) FROM ends) - 84),
        every AS (SELECT workload, net FROM own UNION ALL
            SELECT '(portfolio)', sum(known) - (SELECT idle FROM loose) FROM own)
        SELECT workload, forward_per_month, net * 52 / 144 FROM break_even JOIN every
            USING (workload)
        WHERE forward_per_month IS NOT NULL
            AND abs(forward_per_month - net * 52 / 144) > 1e-8""",
    )
    assert off == []
    told = "SELECT workload FROM break_even WHERE forward_per_month IS NOT NULL ORDER BY 1"
    assert [name for (name,) in rows(sample, told)] == [
        "(portfolio)", "atlas-13b", "lumen-7b", "quill-6b", "scribe-bert",
    ]  # fmt: skip


def test_return_on_investment_at_a_months_end_is_that_of_its_last_day(sample: Sql) -> None:
    (row,) = rows(
        sample,
        """SELECT count(*), count(*) FILTER (m.roi IS DISTINCT FROM s.roi
                OR abs(s.roi - s.cumulative_net / s.cumulative_investment) > 1e-8)
        FROM monthly_summary AS m
        JOIN (SELECT * FROM savings_daily UNION ALL SELECT * FROM portfolio_daily) AS s
            ON s.workload = m.workload AND s.date = m.settled_through
        WHERE s.roi IS NOT NULL""",
    )
    assert row[0] > 30
    assert row[1] == 0


def test_the_month_is_the_sum_of_its_days_and_the_portfolio_of_its_workloads(sample: Sql) -> None:
    off = """
        WITH days AS (
            SELECT strftime(date, '%Y-%m') AS month, workload,
                sum(counterfactual) AS counterfactual,
                sum(gross_saving) AS gross, sum(overhead) AS overhead, sum(net_saving) AS net,
                sum(saving_at_list) AS listed, sum(investment) FILTER (settled) AS spent,
                arg_max(cumulative_net, date) FILTER (settled) AS standing,
                bool_or(settled AND net_saving IS NULL) AS unknown
            FROM (SELECT * FROM savings_daily UNION ALL SELECT * FROM portfolio_daily) GROUP BY ALL)
        SELECT m.month, m.workload FROM monthly_summary AS m JOIN days AS d USING (month, workload)
        WHERE NOT unknown AND ((m.counterfactual, m.gross_saving, m.overhead, m.net_saving,
            m.investment, m.cumulative_net) IS DISTINCT FROM
            (d.counterfactual, d.gross, d.overhead, d.net, d.spent, d.standing))"""
    assert rows(sample, off) == []
    sums = """
        SELECT month FROM monthly_summary GROUP BY month HAVING
            sum(gpu_cost) FILTER (workload <> '(portfolio)')
                <> sum(gpu_cost) FILTER (workload = '(portfolio)')
            OR sum(trn_cost) FILTER (workload <> '(portfolio)')
                <> sum(trn_cost) FILTER (workload = '(portfolio)')
            OR sum(gross_saving) FILTER (workload <> '(portfolio)')
                <> sum(gross_saving) FILTER (workload = '(portfolio)')"""
    assert rows(sample, sums) == []


def test_credits_of_the_months_are_those_of_the_bill(sample: Sql) -> None:
    (row,) = rows(
        sample,
        """SELECT (SELECT sum(credits) FROM monthly_summary WHERE workload = '(portfolio)'),
            (SELECT sum(billed) FROM bill WHERE category = 'Credit')""",
    )
    assert row[0] == row[1] == -15_000


def test_credits_paid_the_same_part_of_the_portfolios_runs_as_the_bill_says(sample: Sql) -> None:
    found = rows(
        sample,
        """WITH payers AS (
            SELECT billing_period AS month, billing_account AS payer,
                sum(billed_cost) FILTER (
                    attribution = 'credit' AND workload IS NULL)::DOUBLE AS credits,
                sum(billed_cost) FILTER (
                    attribution = 'credit' AND workload IS NOT NULL)::DOUBLE AS named,
                sum(billed_cost) FILTER (attribution NOT IN
                    ('tax', 'support', 'credit', 'refund', 'purchase'))::DOUBLE AS usage,
                sum(billed_cost) FILTER (run IS NOT NULL)::DOUBLE AS billed,
                sum(effective_cost) FILTER (run IS NOT NULL)::DOUBLE AS cost
            FROM spend_daily GROUP BY ALL
        ), given AS (
            SELECT month, sum(cost) AS cost,
                -sum(coalesce(credits * billed / usage, 0) + coalesce(named, 0)) AS paid
            FROM payers GROUP BY month HAVING cost IS NOT NULL
        )
        SELECT m.credit_share, paid / cost FROM monthly_summary AS m JOIN given USING (month)
        WHERE workload = '(portfolio)' UNION ALL
        SELECT (SELECT credit_share FROM break_even WHERE workload = '(portfolio)'),
            sum(paid) / sum(cost) FROM given""",
    )
    assert len(found) > 12
    assert sum(share > 0 for share, _ in found) >= 2
    assert all(abs(float(share) - due) < 1e-8 for share, due in found)
