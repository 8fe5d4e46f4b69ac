"""Writes answers into the commented config template; what was not answered stays as it is."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from ingest.sources import SOURCES, configured
from models.config.loading import validated_settings
from models.contract.errors import ConfigError
from models.contract.shipped_data import shipped
from models.raw import atomic_files

TEMPLATE = shipped("breakeven.toml")
CLOUDWATCH, COST_EXPLORER, SAGEMAKER = "cloudwatch", "cost_explorer", "sagemaker"
AWS = (CLOUDWATCH, SAGEMAKER)
"""Where progress is asked of AWS, in a region."""
SERVER = ("http://", "https://")
BILL = '[[sources]]\nkind = "focus"\nlocation = "s3://your-bucket/your-prefix/your-export"\n'
EPOCHS = '[[sources]]\nkind = "progress_file"\nlocation = "epochs.csv"\n'
METRICS = '# [[sources]]\n# kind = "cloudwatch"\n# namespace = "Breakeven"\n'
ACCOUNT = '# [[accounts]]\n# id = "999900000002"\n# name = "research"\n'
WORKLOAD = '# [[workloads]]\n# name = "atlas-7b"\n# target_loss = 1.48 '


@dataclass(frozen=True)
class Starter:
    """The answers that a first config is written from: bill, tags, progress, accounts.

    `bill` is a location or `cost_explorer`; `progress` is a location or one of `AWS`.
    """

    bill: str = ""
    kind: str = "focus"
    workload_tag: str = ""
    run_tag: str = ""
    progress: str = ""
    region: str = ""
    payer: str = ""
    role_arn: str = ""
    external_id: str = ""
    accounts: tuple[tuple[str, str], ...] = ()
    """Id and name of each."""
    workloads: tuple[str, ...] = ()


def fill_template(template: str, starter: Starter) -> str:
    """Returns the config template with the answers. Raises `ConfigError` if it is invalid."""
    _refuse_kinds(starter)
    text = template
    for key, value in (("tags.workload", starter.workload_tag), ("tags.run", starter.run_tag)):
        text = _set(text, key, value) if value else text
    text = _bill(text, starter)
    text = _progress(text, starter)
    text = _write_accounts(text, starter)
    text = _write_workloads(text, starter)
    settings = validated_settings(tomllib.loads(text, parse_float=Decimal), home=Path())
    configured(settings)
    return text


def _refuse_kinds(starter: Starter) -> None:
    """Raises `ConfigError` where a kind of source was given in place of a location."""
    kinds = {source.kind for source in SOURCES}
    if starter.bill in kinds - {COST_EXPLORER}:
        export = starter.bill in ("focus", "cur2")
        say = f"--kind {starter.bill} --bill s3://bucket/prefix/export" if export else "a location"
        raise ConfigError(
            "--bill: a kind of source, not where the bill lies",
            value=starter.bill,
            remedy=f"say {say}, {COST_EXPLORER}, or ./{starter.bill} for a folder of that name",
        )
    if starter.progress in kinds - set(AWS):
        raise ConfigError(
            "--progress: a kind of source, not where progress lies",
            value=starter.progress,
            remedy="say a file, a folder, MLflow's address such as https://mlflow.example, "
            f"{' or '.join(AWS)}, or ./{starter.progress} for a folder of that name",
        )


def _set(text: str, key: str, value: str) -> str:
    """Sets a key of the config template to a value, uncommenting it; keeps its comment."""
    line = re.compile(rf'^(# )?{re.escape(key)} = "[^"]*"', re.MULTILINE)
    found, count = line.subn(lambda _: f"{key} = {_quoted(value)}", text, count=1)
    if not count:
        raise AssertionError(f"the template has no {key}")
    return found


def _replaced(text: str, old: str, new: str) -> str:
    if text.count(old) != 1:
        raise AssertionError(f"the template does not have once: {old}")
    return text.replace(old, new)


def _bill(text: str, starter: Starter) -> str:
    if not starter.bill:
        return text
    if starter.bill == COST_EXPLORER:
        text = _set(text, "cost.source", COST_EXPLORER)
        return _replaced(text, BILL, f'[[sources]]\nkind = "{COST_EXPLORER}"\n')
    text = _set(text, "cost.source", starter.kind)
    return _replaced(text, BILL, _source(starter.kind, "location", starter.bill))


def _progress(text: str, starter: Starter) -> str:
    if not starter.progress:
        return text
    if starter.progress == SAGEMAKER:
        return _replaced(text, EPOCHS, f'[[sources]]\nkind = "{SAGEMAKER}"\n{_region(starter)}')
    if starter.progress != CLOUDWATCH:
        kind = "mlflow" if starter.progress.startswith(SERVER) else "progress_file"
        return _replaced(text, EPOCHS, _source(kind, "location", starter.progress))
    text = _replaced(text, EPOCHS, "".join(f"# {line}\n" for line in EPOCHS.splitlines()))
    metrics = _source(CLOUDWATCH, "namespace", "Breakeven")
    return _replaced(text, METRICS, metrics + _region(starter))


def _region(starter: Starter) -> str:
    if starter.accounts:
        return 'accounts = ["*"]\n'
    return f"region = {_quoted(starter.region)}\n" if starter.region else ""


def _write_accounts(text: str, starter: Starter) -> str:
    """Writes accounts, and the role to assume in them, into the config template."""
    if not starter.accounts:
        return text
    for key, value in (
        ("organization.role_arn", starter.role_arn),
        ("organization.external_id", starter.external_id),
        ("organization.payer", starter.payer),
    ):
        text = _set(text, key, value) if value else text
    if starter.region:
        region = f"organization.regions = {_quoted([starter.region])}"
        shown = re.compile(r"^# organization\.regions = .*$", re.MULTILINE)
        text = shown.sub(region, text, count=1)
    tables = "".join(_account(starter, *one) for one in starter.accounts)
    return _replaced(text, ACCOUNT, tables)


def _account(starter: Starter, id_: str, name: str) -> str:
    own = 'role_arn = ""\n' if id_ == starter.payer else ""
    return f"[[accounts]]\nid = {_quoted(id_)}\nname = {_quoted(name)}\n{own}"


def _write_workloads(text: str, starter: Starter) -> str:
    if not starter.workloads:
        return text
    tables = "".join(f"[[workloads]]\nname = {_quoted(n)}\n" for n in starter.workloads)
    return _replaced(text, WORKLOAD, f"{tables}# target_loss = 1.48 ")


def _quoted(value: object) -> str:
    """Formats a TOML string, or a list of them. Raises `ConfigError` for what is not UTF-8.

    The escapes are those of JSON, except that TOML also escapes DEL and has no surrogates.
    """
    text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ConfigError("no UTF-8", value=ascii(value), remedy="give it a name that is") from None
    return text


def _source(kind: str, option: str, value: str) -> str:
    return f'[[sources]]\nkind = "{kind}"\n{option} = {_quoted(value)}\n'


def write_config(path: Path, start: Callable[[], Starter], *, force: bool) -> Starter:
    """Writes a first config file whole or not at all; returns the answers it was made from.

    Raises `ConfigError` rather than replace an existing one, before anything is asked.
    """
    if path.exists() and not force:
        raise ConfigError("a config is there already", value=path, remedy="--force replaces it")
    found = start()
    text = fill_template(TEMPLATE.read_text(encoding="utf-8"), found)
    with atomic_files.replace_file(path.absolute()) as draft:
        draft.write_text(text, encoding="utf-8")
    return found
