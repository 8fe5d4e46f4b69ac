"""The policy allows what the code calls and nothing else, and the templates say the same.

What is called is read from the code: every name of an operation of a service that a client is made
of. Terraform itself is asked where it has the provider (`TF_CLI_ARGS_init` may say where).
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import botocore.session
import pytest
import yaml
from botocore import xform_name

from ingest.aws import Access
from ingest.doctor.aws_access.permission_probes import (
    FILE_PROBES,
    PROBES,
    STATEMENTS,
    policy_statement,
)
from ingest.files.location import FileOptions
from ingest.sources import SOURCES
from models.contract.schema import COSTS
from models.formats.bill import focus

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
POLICY: list[dict[str, Any]] = json.loads((DEPLOY / "iam-policy.json").read_text())["Statement"]
PREFIXES = {"resourcegroupstaggingapi": "tag"}
NAMED = {"s3:ListObjectsV2": "s3:ListBucket"}
ROLE = "AssumeRoleCredentialFetcher"
NEEDLESS = "sts:GetCallerIdentity"
"""AWS answers it whatever a policy says."""
HOMONYM = "sagemaker:Search"
"""Called like a function of `re`."""
READING = re.compile(r"^(Get|List|Describe|AssumeRole$)")


def texts(tree: ast.AST) -> Iterator[str]:
    """Names of attributes and of text, where an operation may stand."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.Name):
            yield node.id


def clients(tree: ast.AST) -> Iterator[str]:
    """The services that clients are made of."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            place = {"client": 0, "Probe": 1}.get(called)
            if place is not None and isinstance(node.args[place], ast.Constant):
                yield str(node.args[place].value)


@cache
def trees() -> dict[Path, ast.AST]:
    """The modules of `ingest`, read once."""
    return {path: ast.parse(path.read_text()) for path in (ROOT / "ingest").rglob("*.py")}


@cache
def operations() -> dict[str, set[str]]:
    """The names that the services which clients are made of give their operations."""
    session = botocore.session.get_session()
    services = {name for tree in trees().values() for name in clients(tree)}
    return {name: {*session.get_service_model(name).operation_names} for name in services}


@cache
def called(*left_out: str) -> set[str]:
    """The actions that the modules of `ingest` call, but for some packages."""
    asked = [
        tree
        for path, tree in trees().items()
        if not set(left_out) & {*path.relative_to(ROOT).parts}
    ]
    words = {text for tree in asked for text in texts(tree)}
    found = {"sts:AssumeRole"} if ROLE in words else set()
    for service, names in operations().items():
        for operation in names:
            if words & {operation, xform_name(operation)}:
                found.add(f"{PREFIXES.get(service, service)}:{operation}")
    return {NAMED.get(action, action) for action in found} - {NEEDLESS, HOMONYM}


def actions(one: dict[str, Any]) -> set[str]:
    return {one["Action"]} if isinstance(one["Action"], str) else set(one["Action"])


def allowed() -> set[str]:
    return {action for one in POLICY for action in actions(one)}


def test_the_policy_allows_what_is_called_and_nothing_else() -> None:
    assert sorted(allowed()) == sorted(called())


def test_the_policy_only_reads_and_says_each_action_once() -> None:
    assert [a for a in allowed() if not READING.match(a.partition(":")[2])] == []
    assert sum(len(actions(one)) for one in POLICY) == len(allowed())
    assert {one["Effect"] for one in POLICY} == {"Allow"}
    assert len({one["Sid"] for one in POLICY}) == len(POLICY)


def test_doctor_tries_every_action_that_a_source_calls() -> None:
    tried = {probe.action for calls in (*PROBES.values(), FILE_PROBES) for probe in calls}
    assert tried | {"organizations:ListAccounts", "sts:AssumeRole"} == called("doctor", "setup")
    askers = {source for source in SOURCES if issubclass(source.accepts, Access)}
    assert {one.kind for one in askers if not issubclass(one.accepts, FileOptions)} == set(PROBES)


def test_doctor_names_the_statement_that_has_the_action() -> None:
    by_sid = {one["Sid"]: actions(one) for one in POLICY}
    assert [
        a for a in sorted(called("setup")) if a not in by_sid.get(policy_statement(a), ())
    ] == []
    assert set(STATEMENTS.values()) - set(by_sid) == {"ExportKey"}


class Loader(yaml.SafeLoader):
    """CloudFormation's short functions as plain values."""


def _short(loader: Loader, tag: str, node: yaml.Node) -> object:
    if isinstance(node, yaml.ScalarNode):
        return loader.construct_scalar(node)
    return {tag: loader.construct_sequence(node, deep=True)}  # type: ignore[arg-type]


Loader.add_multi_constructor("!", _short)


def cloudformation() -> dict[str, Any]:
    text = (DEPLOY / "cloudformation.yaml").read_text()
    found: dict[str, Any] = yaml.load(text, Loader)
    return found["Resources"]


def test_cloudformation_has_the_very_policy() -> None:
    text = (DEPLOY / "iam-policy.json").read_text()
    here = text.replace("YOUR-BUCKET", "${Bucket}").replace("YOUR-PREFIX", "${Prefix}")
    own = cloudformation()["Reader"]["Properties"]["Policies"][0]["PolicyDocument"]["Statement"]
    wanted = json.loads(here)["Statement"]
    wanted[0]["Condition"]["StringLike"]["s3:prefix"] = "${Prefix}*"
    assert own == wanted


def test_both_templates_make_the_same_export_with_what_the_format_reads() -> None:
    hcl = (DEPLOY / "terraform" / "export.tf").read_text()
    columns = re.findall(r'^    "(\w+)",$', hcl, re.MULTILINE)
    query = cloudformation()["Focus"]["Properties"]["Export"]["DataQuery"]["QueryStatement"]
    assert query == f"SELECT {', '.join(columns)} FROM FOCUS_1_2_AWS"
    read = {*focus.REQUIRED, *focus.TEXTS, *focus.TIMES, *focus.QUANTITIES, *focus.UNITS, *COSTS}
    assert read | {"Tags", "SkuMeter", "SkuPriceDetails"} <= set(columns)


def test_terraform_takes_the_policy_file() -> None:
    hcl = (DEPLOY / "terraform" / "main.tf").read_text()
    assert 'file("${path.module}/../iam-policy.json")' in hcl
    assert re.search(r"policy = local\.policy$", hcl, re.MULTILINE)


def test_terraform_names_only_what_is_declared_and_uses_all_of_it() -> None:
    """As `terraform validate` would say first, also where there is no provider to ask."""
    hcl = "\n".join(path.read_text() for path in sorted((DEPLOY / "terraform").glob("*.tf")))
    code = re.sub(r"^\s*#.*$", "", hcl, flags=re.MULTILINE)
    declared = {f"var.{name}" for name in re.findall(r'^variable "(\w+)"', code, re.MULTILINE)}
    for table in re.findall(r"^locals \{\n(.*?)^\}", code, re.MULTILINE | re.DOTALL):
        declared |= {f"local.{name}" for name in re.findall(r"^  (\w+)\s*=", table, re.MULTILINE)}
    blocks = re.findall(r'^(resource|data) "(\w+)" "(\w+)"', code, re.MULTILINE)
    declared |= {f"{'data.' if kind == 'data' else ''}{of}.{name}" for kind, of, name in blocks}
    named = set(re.findall(r"\b(?:var|local)\.\w+|(?:data\.)?\baws_\w+\.\w+", code))
    assert sorted(named - declared) == []
    needless = {one for one in declared - named if one.startswith(("var.", "local.", "data."))}
    assert needless == set()
    assert len(declared) > len(blocks) > 5


def test_terraform_finds_it_valid(tmp_path: Path) -> None:
    command = shutil.which("terraform")
    if command is None:
        pytest.skip("no terraform here")
    shutil.copytree(DEPLOY, tmp_path / "deploy")
    where = tmp_path / "deploy" / "terraform"
    begin = [command, "init", "-backend=false", "-input=false"]
    if subprocess.run(begin, cwd=where, capture_output=True, check=False).returncode:
        pytest.skip("terraform finds no AWS provider here")
    done = subprocess.run(
        [command, "validate", "-no-color"], cwd=where, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "Success! The configuration is valid.\n\n")
