"""How fresh each feed is, why it is not, what of its bill was restated, and what asking cost today.

Grain: source × account: the billing account of a bill, the account that progress was pulled from.
`last_success` is when the last pull that came to its end did, as the journal has it; of one of
several accounts, when its newest delivery was pulled, or a later pull of all found nothing new;
`last_attempt` when it was last asked. `stale` holds from an hour after a run of its cron that has
not succeeded (`fresh_until`); `why` is its last error, or that nothing asked it; both are as of the
build, and null under a pinned `as_of`. `newest_day` is its newest charge or sample up to today, for
a clock that runs ahead brings no news; `gap_days` the days without one between first and newest.
`restated_cost` is by how much settled months changed in the `RESTATED_DAYS` up to its last success,
on the configured basis (billed or effective), null where one change is unknown, and for
feeds that bring no bill. `requests_today` and `dollars_today` are what AWS bills for requests of
the day of the build, which is the clock's even under a pinned `as_of`, as the daily cap counts:
each stands on the account it was asked of, else on the source's first account, and once; a source
that brought nothing yet has a row of its own. `notice` is what must be known of what the last pull
brought though nothing failed: a cost allocation tag that is not activated.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import same_keys
from models.contract.money import ZERO, known_sum, zero_if_null
from models.contract.schema import MARTS
from models.marts.trust.late_changes import changed, lately

KEYS = ("source", "account")


def freshness(
    delivered: ir.Table,
    requested: ir.Table,
    settled_accounts: ir.Table,
    restatements: ir.Table,
    feeds: ir.Table,
    noticed: ir.Table,
    settings: Settings,
) -> ir.Table:
    """`delivered`: a row per source, account and day; `requested`: one per paid request today."""
    come = delivered.day <= ibis.literal(settings.today)
    seen = delivered.group_by(*KEYS).agg(
        pulled_at=delivered.pulled_at.max(),
        newest_day=delivered.day.max(where=come),
        first_day=delivered.day.min(),
        days=delivered.day.nunique(where=come),
    )
    rows = _both(seen, _asked(requested, seen), _silent(feeds, seen, requested))
    rows = _told(rows, feeds)
    settled = settled_accounts.select("billing_account", "settled_through")
    rows = rows.left_join(settled, rows.account == settled.billing_account)
    rows = _restated(rows, restatements, settings)
    noted = noticed.select("notice", noted_of="source")
    rows = rows.left_join(noted, rows.source == noted.noted_of).drop("noted_of")
    whole = rows.newest_day.epoch_days() - rows.first_day.epoch_days() + 1
    return rows.mutate(
        gap_days=ibis.ifelse(rows.account.isnull(), None, (whole - rows.days).cast("int64")),
        requests_today=ibis.coalesce(rows.requests_today, 0).cast("int64"),
        dollars_today=zero_if_null(rows.dollars_today),
    ).select(*MARTS["freshness"])


def _told(rows: ir.Table, feeds: ir.Table) -> ir.Table:
    """What the journal says of each source."""
    named = feeds.rename(feed="source", answered="last_success")
    rows = rows.left_join(named, rows.source == named.feed)
    alone = rows.account.count().over(ibis.window(group_by="source")) <= 1
    pulled = ibis.coalesce(rows.pulled_at, rows.answered)
    told = rows.last_attempt.notnull() & alone
    return rows.mutate(last_success=ibis.ifelse(told, rows.answered, pulled))


def _restated(rows: ir.Table, restatements: ir.Table, settings: Settings) -> ir.Table:
    """Null where the basis cannot be compared, or where there is no bill."""
    late = lately(restatements, rows)
    sums = late.group_by(restated_of="source", restated_by="billing_account").agg(
        restated=known_sum(changed(late, settings))
    )
    rows = rows.left_join(sums, [rows.source == sums.restated_of, rows.account == sums.restated_by])
    none = ibis.ifelse(rows.restated_of.isnull(), ZERO, rows.restated)
    bill = rows.account.notnull() & rows.newest_day.notnull()
    return rows.mutate(restated_cost=ibis.ifelse(bill, none, None))


def _asked(requested: ir.Table, seen: ir.Table) -> ir.Table:
    """Requests and dollars by the row of `freshness` that they stand on."""
    homes = seen.group_by(home_of="source").agg(home=seen.account.min())
    mine = seen.select(known_of="source", known="account")
    paid = requested.left_join(homes, requested.source == homes.home_of)
    paid = paid.left_join(mine, [paid.source == mine.known_of, paid.account == mine.known])
    paid = paid.mutate(
        account=ibis.cases(
            (paid.known.notnull() | paid.home_of.isnull(), paid.account), else_=paid.home
        )
    )
    return paid.group_by(*KEYS).agg(requests_today=paid.count(), dollars_today=paid.dollars.sum())


def _silent(feeds: ir.Table, seen: ir.Table, requested: ir.Table) -> ir.Table:
    """Feeds that have no row for any other reason."""
    silent = feeds.anti_join(seen, "source").anti_join(requested, "source")
    return silent.select("source", account=ibis.null("string"))


def _both(seen: ir.Table, asked: ir.Table, silent: ir.Table) -> ir.Table:
    """Every row of any; accounts that nobody names are one."""
    keys = seen.select(*KEYS).union(asked.select(*KEYS), silent, distinct=True)
    for part in (seen, asked):
        named = part.rename(**{f"{key}_of": key for key in KEYS})
        keys = keys.left_join(named, same_keys(keys, named, KEYS, "_of")).drop(
            *(f"{key}_of" for key in KEYS)
        )
    return keys
