"""Expands a `[[sources]]` entry of the config into one source per account and region.

The entry's options are repeated per account and region, with the role that `[[accounts]]` and
`[organization]` give. Each of these sources is pulled on its own. Error messages name its account
with `account_label`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

from ingest.aws import Access
from ingest.source import Batch, Options, Source
from models.config.accounts import EVERY, PLACE, AccountEntry
from models.config.feeds import SourceEntry
from models.config.refusals.unknown_keys import nearest
from models.config.settings import Settings
from models.contract.errors import ConfigError

ROLE_OPTIONS = ("account", "role_arn", "external_id")


def options_of_each_source(
    entry: SourceEntry, kind: type[Source], settings: Settings
) -> Iterator[dict[str, Any]]:
    """Yields a dict of options per account and region that a `[[sources]]` entry stands for.

    There is one source per named account and region, or a single one where the entry names neither.
    Raises `ConfigError`.
    """
    _refuse_repeated_options(entry, kind)
    if not entry.accounts:
        yield from ({**entry.options, "region": region} for region in entry.regions)
        if not entry.regions:
            yield entry.options
        return
    accounts = named_accounts(entry, settings)
    if len(accounts) > 1:
        _refuse_shared_location(entry)
    for account in accounts:
        for region in _regions(entry, kind, account):
            yield _with_role(entry.options, account, region)


def named_accounts(entry: SourceEntry, settings: Settings) -> list[AccountEntry]:
    """Returns the accounts that a `[[sources]]` entry names; `*` means all that are not closed.

    Raises `ConfigError` for an unknown name, and where no account is left.
    """
    configured = configured_accounts(settings)
    known = {called: one for one in configured for called in (one.id, one.label)}
    found: dict[str, AccountEntry] = {}
    for name in entry.accounts:
        if name not in known and name != EVERY:
            labels = [*(one.label for one in configured), EVERY]
            raise ConfigError(
                f"[[sources]] {entry.label}: unknown account",
                value=name,
                remedy=nearest(name, labels),
            )
        every = [one for one in configured if is_pulled(one, settings)]
        found |= {one.id: one for one in (every if name == EVERY else [known[name]])}
    if not found:
        raise ConfigError(
            f"[[sources]] {entry.label}: no account is open",
            value=EVERY,
            remedy="add [[accounts]] with their ids",
        )
    return list(found.values())


def is_pulled(account: AccountEntry, settings: Settings) -> bool:
    """Whether sources with `accounts = ["*"]` pull this account: it is open, or closed lately.

    A closed one is pulled until its last day is settled: AWS bills a day in the days after it.
    """
    wait = timedelta(days=settings.cost.settle_days + 1)
    return account.closed is None or settings.today <= account.closed + wait


def configured_accounts(settings: Settings) -> list[AccountEntry]:
    """Returns the AWS accounts in the config, and the organisation's payer if one is set."""
    payer = settings.organization.payer
    if not payer or any(one.id == payer for one in settings.accounts):
        return list(settings.accounts)
    return [AccountEntry(id=payer).completed(settings.organization), *settings.accounts]


def access_to(account: AccountEntry) -> Access:
    """Builds the access options for an account: its id, role, external id and first region."""
    first = account.regions[0] if account.regions else None
    return Access.model_validate(_with_role({}, account, first))


def account_and_region(options: Options) -> tuple[str, str]:
    """Returns account id and region of a source's options; both empty if they name no account."""
    if not isinstance(options, Access) or not options.account:
        return "", ""
    return options.account, options.region or ""


def account_label(options: Options, settings: Settings) -> str:
    """Returns a text such as "account research in us-east-1"; empty without an account.

    Example: "account research in us-east-1".
    """
    account, region = account_and_region(options)
    labels = {one.id: one.display_name for one in settings.accounts}
    where = f" in {region}" if region else ""
    return f"account {labels.get(account, account)}{where}" if account else ""


def with_account_in_key(options: Options, batch: Batch) -> Batch:
    """Puts the account id of a source's options, if any, before the name of its delivery."""
    account, _ = account_and_region(options)
    if not account or batch.unit.startswith(account):
        return batch
    return replace(batch, unit=f"{account}/{batch.unit}")


def refuse_payer(found: Iterable[Source], settings: Settings) -> None:
    """Raises `ConfigError` if several bills are read by API and one of them may be the payer's.

    A payer's bill contains its members' charges. Exports are compared by the accounts in their
    lines (`ingest.pull.double_counting`); an API's bill names none, so it is refused here. A source
    without an account uses whatever credentials there are, which may be the payer's.
    """
    payer = settings.organization.payer
    bills = [
        (account_and_region(source.options)[0], source)
        for source in found
        if settings.cost.source in (source.name, source.kind)
        and source.group == "cost"
        and not _reads_files(source.accepts)
    ]
    named = [account for account, _ in bills]
    if len(bills) > 1 and (payer in (None, *named) or "" in named):
        name = next((source for account, source in bills if not account), bills[0][1]).name
        problem = "it names no account" if "" in named else payer
        raise ConfigError(
            f"[[sources]] {name}: a payer's bill holds its members' bills too",
            value=problem or "organization.payer is not set",
            remedy="name only the payer, or set organization.payer and name only members",
        )


def _reads_files(kind: type[Options]) -> bool:
    """Returns whether sources of this kind read files: whether their options have `location`."""
    return "location" in kind.model_fields


def _refuse_repeated_options(entry: SourceEntry, kind: type[Source]) -> None:
    """Raises `ConfigError` for an option that is set twice, and for `regions` of a global service.

    A role may be given beside a location, because one role may read the files of all accounts.
    """
    given_elsewhere = ("account",) if _reads_files(kind.accepts) else ROLE_OPTIONS
    given = [name for name in given_elsewhere if entry.accounts and name in entry.options]
    given += ["region"] if entry.regions and "region" in entry.options else []
    if given:
        raise ConfigError(
            f"[[sources]] {entry.label}: {given[0]} cannot be set beside accounts or regions",
            value=entry.options[given[0]],
            remedy="remove it, or give it to [[accounts]]",
        )
    if entry.regions and not kind.regional:
        raise ConfigError(
            f"[[sources]] {entry.label}: {entry.kind} is the same in every region",
            value=", ".join(entry.regions),
            remedy="remove `regions`",
        )


def _refuse_shared_location(entry: SourceEntry) -> None:
    """Raises `ConfigError` if an entry's `location` has no place for the account's id."""
    location = str(entry.options.get("location", PLACE))
    if PLACE not in location:
        raise ConfigError(
            f"[[sources]] {entry.label}: several accounts read one location",
            value=location,
            remedy=f"write {PLACE} in place of the account's id",
        )


def _regions(
    entry: SourceEntry, kind: type[Source], account: AccountEntry
) -> tuple[str | None, ...]:
    """Returns the entry's or the account's regions; only the first for a kind that has no regions.

    Returns `(None,)` if neither names a region. Even a global service needs the first one, because
    it shows in which partition the account is.
    """
    if "region" in entry.options:
        return (entry.options["region"],)
    regions = entry.regions or account.regions or (None,)
    return regions if kind.regional else regions[:1]


def _with_role(
    options: dict[str, Any], account: AccountEntry, region: str | None
) -> dict[str, Any]:
    """Adds account id, region and the account's role to a source's options; drops empty ones."""
    location = {
        name: value.replace(PLACE, account.id)
        for name, value in options.items()
        if name == "location" and isinstance(value, str)
    }
    role: dict[str, Any] = {"role_arn": account.role_arn, "external_id": account.external_id}
    if "role_arn" in options:
        role = {"role_arn": options["role_arn"], "external_id": options.get("external_id")}
    given = options | location | role | {"account": account.id, "region": region}
    return {name: value for name, value in given.items() if value not in (None, "")}
