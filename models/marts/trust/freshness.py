"""Reports how fresh each source is, what was restated, and what its requests cost today.

`last_success` is when the last pull that ended well did so, by the pull log. For a source of
several accounts it is when the account's newest delivery was pulled, or a later pull of all
accounts had nothing new. `last_attempt` is when the source was last tried. `stale` is true from an
hour after a scheduled run that has not succeeded (`fresh_until`); `why` is its last error, or that
nothing pulled it. Both are as of the build. Under a pinned `as_of` they tell only of a source whose
last pull failed, and as of the newest pull of any source; else they are null.

`newest_day` is its newest charge or sample up to today, because a clock that runs ahead brings
nothing new; `gap_days` counts the days without one between first and newest. `restated_cost` is by
how much settled months changed in the `RESTATED_DAYS` up to its last success (effective or billed).

`requests_today` and `dollars_today` are what AWS bills for requests on the day of the build, by the
clock even under a pinned `as_of`, like the daily cap. Each request is on the row of its account if
that has one, else on the source's first account. A source that delivered nothing yet has a row of
its own. `notice` is what the last pull reported although nothing failed: a cost allocation tag that
is not activated.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import mart
from models.contract.joins import same_keys
from models.contract.money import ZERO, known_sum, zero_if_null
from models.contract.schema import MARTS
from models.marts.trust.late_changes import change_on_basis, recent_changes

KEYS = ("source", "account")


@mart(
    grain="source × account (of a bill: the billing account)",
    units="dollars: restated on `cost.basis`, paid to AWS today; days; requests",
    nulls="account: none is named; stale, why: `as_of` is pinned, nothing failed; restated_cost: "
    "unknown, or no bill",
    method="§10.1",
    whose="company",
)
def freshness(
    delivered_days: ir.Table,
    paid_requests: ir.Table,
    settled_accounts: ir.Table,
    restatements: ir.Table,
    feeds: ir.Table,
    pull_notices: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Computes newest day, gaps, staleness, restated cost and paid requests by source and account.

    `delivered_days` has a row per source, account and day, `paid_requests` one per request today.
    """
    come = delivered_days.day <= ibis.literal(settings.today)
    seen = delivered_days.group_by(*KEYS).agg(
        pulled_at=delivered_days.pulled_at.max(),
        newest_day=delivered_days.day.max(where=come),
        first_day=delivered_days.day.min(),
        days=delivered_days.day.nunique(where=come),
        billed=delivered_days.billed.any(),
    )
    rows = _all_keys(
        seen, _paid_requests(paid_requests, seen), _without_rows(feeds, seen, paid_requests)
    )
    rows = _with_pull_log(rows, feeds)
    settled = settled_accounts.select("billing_account", "settled_through")
    rows = rows.mutate(billed=rows.billed.fill_null(False))
    unnamed = rows.billed & rows.account.isnull() & settled.billing_account.isnull()
    rows = rows.left_join(settled, (rows.account == settled.billing_account) | unnamed)
    rows = _with_restated_cost(rows, restatements, settings)
    noted = pull_notices.select("notice", noted_of="source")
    rows = rows.left_join(noted, rows.source == noted.noted_of).drop("noted_of")
    whole = rows.newest_day.epoch_days() - rows.first_day.epoch_days() + 1
    return rows.mutate(
        gap_days=ibis.ifelse(
            rows.account.isnull() & ~rows.billed, None, (whole - rows.days).cast("int64")
        ),
        requests_today=ibis.coalesce(rows.requests_today, 0).cast("int64"),
        dollars_today=zero_if_null(rows.dollars_today),
    ).select(*MARTS["freshness"])


def _with_pull_log(rows: ir.Table, feeds: ir.Table) -> ir.Table:
    """Adds the last success: by the pull log if a source has one account, else by deliveries."""
    named = feeds.rename(feed="source", answered="last_success")
    rows = rows.left_join(named, rows.source == named.feed)
    alone = rows.account.count().over(ibis.window(group_by="source")) <= 1
    pulled = ibis.coalesce(rows.pulled_at, rows.answered)
    logged = rows.last_attempt.notnull() & alone
    return rows.mutate(last_success=ibis.ifelse(logged, rows.answered, pulled))


def _with_restated_cost(rows: ir.Table, restatements: ir.Table, settings: Settings) -> ir.Table:
    """Adds how much AWS recently restated each bill; null if unknown or not a bill."""
    late = recent_changes(restatements, rows)
    sums = late.group_by(restated_of="source", restated_by="billing_account").agg(
        restated=known_sum(change_on_basis(late, settings))
    )
    same = [rows.source == sums.restated_of, rows.account.identical_to(sums.restated_by)]
    rows = rows.left_join(sums, same)
    none = ibis.ifelse(rows.restated_of.isnull(), ZERO, rows.restated)
    return rows.mutate(
        restated_cost=ibis.ifelse(rows.billed & rows.newest_day.notnull(), none, None)
    )


def _paid_requests(paid_requests: ir.Table, seen: ir.Table) -> ir.Table:
    """Sums today's paid requests and dollars by source and account."""
    homes = seen.group_by(home_of="source").agg(home=seen.account.min())
    mine = seen.select(known_of="source", known="account")
    paid = paid_requests.left_join(homes, paid_requests.source == homes.home_of)
    paid = paid.left_join(mine, [paid.source == mine.known_of, paid.account == mine.known])
    paid = paid.mutate(
        account=ibis.cases(
            (paid.known.notnull() | paid.home_of.isnull(), paid.account), else_=paid.home
        )
    )
    return paid.group_by(*KEYS).agg(requests_today=paid.count(), dollars_today=paid.dollars.sum())


def _without_rows(feeds: ir.Table, seen: ir.Table, paid_requests: ir.Table) -> ir.Table:
    """Lists the sources that delivered nothing and made no paid request."""
    unasked = feeds.anti_join(seen, "source").anti_join(paid_requests, "source")
    return unasked.select("source", account=ibis.null("string"))


def _all_keys(seen: ir.Table, asked: ir.Table, unasked: ir.Table) -> ir.Table:
    """Lists every source and account with a delivery or a paid request, and silent sources."""
    keys = seen.select(*KEYS).union(asked.select(*KEYS), unasked, distinct=True)
    for part in (seen, asked):
        named = part.rename(**{f"{key}_of": key for key in KEYS})
        keys = keys.left_join(named, same_keys(keys, named, KEYS, "_of")).drop(
            *(f"{key}_of" for key in KEYS)
        )
    return keys
