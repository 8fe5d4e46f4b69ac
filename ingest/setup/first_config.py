"""Writes answers into the commented config template; what has no answer stays as it is."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from ingest.files.s3 import SCHEME, bucket_and_prefix
from ingest.setup.wandb_pages import wandb_source
from ingest.sources import SOURCES, configured
from models.config.loading import config_text, validated_settings
from models.contract.errors import ConfigError
from models.contract.shipped_data import shipped
from models.raw import atomic_files

TEMPLATE = shipped("data/breakeven.toml")
CLOUDWATCH, COST_EXPLORER, SAGEMAKER = "cloudwatch", "cost_explorer", "sagemaker"
FOCUS = "focus"
AWS = (CLOUDWATCH, SAGEMAKER)
"""Kinds of progress that are read from AWS, in a region."""
SERVER = ("http://", "https://")
BILL = '[[sources]]\nkind = "focus"\nlocation = "s3://your-bucket/your-prefix/your-export"\n'
EPOCHS = '[[sources]]\nkind = "progress_file"\nlocation = "epochs.csv"\n'
METRICS = '# [[sources]]\n# kind = "cloudwatch"\n# namespace = "Breakeven"\n'
ACCOUNT = '# [[accounts]]\n# id = "999900000002"\n# name = "research"\n'
WORKLOAD = '# [[workloads]]\n# name = "atlas-7b"\n# target_loss = 1.48 '


@dataclass(frozen=True)
class InitAnswers:
    """The answers that a first config is written from: bill, tags, progress, accounts.

    `bill` is a location or `cost_explorer`; `progress` is a location or one of `AWS`.
    """

    bill: str = ""
    kind: str = ""
    """Which export the bill is, `focus` or `cur2`; empty where nobody knows yet."""
    workload_tag: str = ""
    run_tag: str = ""
    progress: str = ""
    progress_kind: str = ""
    """Whose files are there, such as `tensorboard`; empty for files written for breakeven."""
    region: str = ""
    payer: str = ""
    role_arn: str = ""
    external_id: str = ""
    accounts: tuple[tuple[str, str], ...] = ()
    """Id and name of each account."""
    workloads: tuple[str, ...] = ()


def fill_template(template: str, answers: InitAnswers) -> str:
    """Returns the config template with the answers. Raises `ConfigError` if it is invalid."""
    text = template
    for key, value in (("tags.workload", answers.workload_tag), ("tags.run", answers.run_tag)):
        text = _set(text, key, value) if value else text
    text = write_places(text, answers)
    text = _write_accounts(text, answers)
    text = _write_workloads(text, answers)
    settings = validated_settings(tomllib.loads(text, parse_float=Decimal), home=Path())
    configured(settings)
    return text


def _refuse_kinds(answers: InitAnswers) -> None:
    """Raises `ConfigError` where an answer is a kind of source instead of a location."""
    kinds = {source.kind for source in SOURCES}
    if answers.bill in kinds - {COST_EXPLORER}:
        export = answers.bill in ("focus", "cur2")
        form = f"--kind {answers.bill} --bill s3://bucket/prefix/export" if export else "a location"
        raise ConfigError(
            "--bill: this is a kind of source, not a location",
            value=answers.bill,
            remedy=f"write {form}, {COST_EXPLORER}, or ./{answers.bill} for a folder of that name",
        )
    if answers.progress in kinds - set(AWS):
        raise ConfigError(
            "--progress: this is a kind of source, not a location",
            value=answers.progress,
            remedy="write a file, a folder, MLflow's address such as https://mlflow.example, W&B's "
            "such as https://wandb.ai/your-team/pretrain, "
            f"{' or '.join(AWS)}, or ./{answers.progress} for a folder of that name",
        )


def _refuse_no_bucket(answers: InitAnswers) -> None:
    """Raises `ConfigError` where a location in S3 names no bucket."""
    for option, location in (("--bill", answers.bill), ("--progress", answers.progress)):
        try:
            if location.startswith(SCHEME):
                bucket_and_prefix(location)
        except ConfigError as error:
            raise error.prefixed(option) from None


def set_tags(path: Path, *, workload: str, run: str) -> None:
    """Writes the tags that name workload and run into an existing config, whole or not at all.

    Raises `ConfigError` where the config would no longer be valid, or sets them in another form.
    """
    text = config_text(path)
    for key, value in (("tags.workload", workload), ("tags.run", run)):
        if not _line_of(key, text):
            raise ConfigError(
                f"{path} has no line `{key} = ...` to change",
                remedy=f"write {key} = {_quoted(value)} yourself",
            )
        text = _set(text, key, value)
    replace_config(path, text)


def replace_config(path: Path, text: str) -> None:
    """Replaces an existing config, whole. Raises `ConfigError` where the new text is not valid."""
    validated_settings(tomllib.loads(text, parse_float=Decimal), home=path.absolute().parent)
    atomic_files.replace_text(path.absolute(), text)


def _line_of(key: str, text: str) -> re.Match[str] | None:
    """Finds the config line that sets a key to a text, else a commented one, else None."""
    setting = rf'{re.escape(key)} = "(?:[^"\\\n]|\\.)*"'
    lines = (re.search(rf"^{mark}{setting}", text, re.MULTILINE) for mark in ("", "# "))
    return next(filter(None, lines), None)


def _set(text: str, key: str, value: str) -> str:
    """Sets a key of the config template to a value, uncommenting it; keeps its comment."""
    found = _line_of(key, text)
    if not found:
        raise AssertionError(f"the template has no {key}")
    return f"{text[: found.start()]}{key} = {_quoted(value)}{text[found.end() :]}"


def _replaced(text: str, old: str, new: str) -> str:
    if text.count(old) != 1:
        raise AssertionError(f"the template does not have once: {old}")
    return text.replace(old, new)


def write_places(text: str, answers: InitAnswers) -> str:
    """Returns a config's text with the locations of bill and progress in place of its examples."""
    _refuse_kinds(answers)
    _refuse_no_bucket(answers)
    return _progress(_bill(text, answers), answers)


def _bill(text: str, answers: InitAnswers) -> str:
    if not answers.bill:
        return text
    if answers.bill == COST_EXPLORER:
        text = _set(text, "cost.source", COST_EXPLORER)
        return _replaced(text, BILL, f'[[sources]]\nkind = "{COST_EXPLORER}"\n')
    kind = answers.kind or FOCUS
    text = _set(text, "cost.source", kind)
    return _replaced(text, BILL, _source(kind, "location", answers.bill))


def _progress(text: str, answers: InitAnswers) -> str:
    if not answers.progress:
        return text
    if answers.progress == SAGEMAKER:
        return _replaced(text, EPOCHS, f'[[sources]]\nkind = "{SAGEMAKER}"\n{_region(answers)}')
    if wandb := wandb_source(answers.progress):
        return _replaced(text, EPOCHS, wandb)
    if answers.progress != CLOUDWATCH:
        written = answers.progress_kind or "progress_file"
        kind = "mlflow" if answers.progress.startswith(SERVER) else written
        return _replaced(text, EPOCHS, _source(kind, "location", answers.progress))
    text = _replaced(text, EPOCHS, "".join(f"# {line}\n" for line in EPOCHS.splitlines()))
    metrics = _source(CLOUDWATCH, "namespace", "Breakeven")
    return _replaced(text, METRICS, metrics + _region(answers))


def _region(answers: InitAnswers) -> str:
    if answers.accounts:
        return 'accounts = ["*"]\n'
    return f"region = {_quoted(answers.region)}\n" if answers.region else ""


def _write_accounts(text: str, answers: InitAnswers) -> str:
    """Writes accounts, and the role to assume in them, into the config template."""
    if not answers.accounts:
        return text
    for key, value in (
        ("organization.role_arn", answers.role_arn),
        ("organization.external_id", answers.external_id),
        ("organization.payer", answers.payer),
    ):
        text = _set(text, key, value) if value else text
    if answers.region:
        region = f"organization.regions = {_quoted([answers.region])}"
        shown = re.compile(r"^# organization\.regions = .*$", re.MULTILINE)
        text = shown.sub(region, text, count=1)
    tables = "".join(_account(answers, *one) for one in answers.accounts)
    return _replaced(text, ACCOUNT, tables)


def _account(answers: InitAnswers, id_: str, name: str) -> str:
    own = 'role_arn = ""\n' if id_ == answers.payer else ""
    return f"[[accounts]]\nid = {_quoted(id_)}\nname = {_quoted(name)}\n{own}"


def _write_workloads(text: str, answers: InitAnswers) -> str:
    if not answers.workloads:
        return text
    tables = "".join(f"[[workloads]]\nname = {_quoted(n)}\n" for n in answers.workloads)
    return _replaced(text, WORKLOAD, f"{tables}# target_loss = 1.48 ")


def _quoted(value: object) -> str:
    """Formats a TOML string, or a list of them. Raises `ConfigError` for what is not UTF-8.

    The escapes are those of JSON, except that TOML also escapes DEL and has no surrogates.
    """
    text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    refuse_other_bytes(text, value)
    return text


def refuse_other_bytes(text: str, value: object) -> None:
    """Raises `ConfigError`, which shows `value`, if a text cannot be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        remedy = "give it a name that is"
        raise ConfigError("not UTF-8", value=ascii(value), remedy=remedy) from None


def _source(kind: str, option: str, value: str) -> str:
    return f'[[sources]]\nkind = "{kind}"\n{option} = {_quoted(value)}\n'


def write_config(path: Path, start: Callable[[], InitAnswers], *, force: bool) -> InitAnswers:
    """Writes a first config file whole or not at all; returns the answers it was made from.

    Raises `ConfigError` rather than replace an existing one, before anything is asked.
    """
    if path.exists() and not force:
        raise ConfigError("there is a config already", value=path, remedy="--force replaces it")
    found = start()
    text = fill_template(TEMPLATE.read_text(encoding="utf-8"), found)
    with atomic_files.replace_file(path.absolute()) as draft:
        draft.write_text(text, encoding="utf-8")
    return found
