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
from ingest.doctor.aws_access.permission_probes import FILE_PROBES, PROBES
from ingest.doctor.aws_access.policy_statements import STATEMENTS, policy_statement
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
HOMONYMS = {"sagemaker:Search", "sagemaker:ListJobs"}
"""Called like a function of `re`, and like an operation of AWS Batch."""
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
    return {NAMED.get(action, action) for action in found} - {NEEDLESS} - HOMONYMS


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
    both = {"hyperpod"}  # reads files, and asks AWS about their machines
    assert {one.kind for one in askers if not issubclass(one.accepts, FileOptions)} == (
        set(PROBES) - both
    )


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
    assert [one["If"][1] for one in own] == json.loads(here)["Statement"]
    assert {one["If"][2] for one in own} == {"AWS::NoValue"}
    conditions = {one["If"][1]["Sid"]: one["If"][0] for one in own}
    alone = {sid for sid, condition in conditions.items() if condition == f"Reads{sid}"}
    assert {sid for sid, condition in conditions.items() if condition == "Exports"} == (
        set(conditions) - alone
    ), "a member account is read for nothing that its parameters do not say"
    assert alone == {"CostExplorer", "Metrics", "TrainingJobs", "HyperPodNodes", "BatchJobs"} | (
        {"SpotPrices", "SavingsPlans", "Capacity"}
    )


def test_listing_is_allowed_below_the_folder_alone() -> None:
    """`YOUR-PREFIX*` would also be the folder `YOUR-PREFIX-of-somebody-else`."""
    by_sid = {one["Sid"]: one for one in POLICY}
    assert by_sid["ExportListing"]["Condition"]["StringLike"]["s3:prefix"] == "YOUR-PREFIX/*"
    assert by_sid["ExportFiles"]["Resource"].endswith("YOUR-BUCKET/YOUR-PREFIX/*")


def test_both_templates_refuse_unencrypted_requests_and_keep_what_is_overwritten() -> None:
    resources = cloudformation()
    (denied,) = (
        one
        for one in resources["Delivery"]["Properties"]["PolicyDocument"]["Statement"]
        if one["Effect"] == "Deny"
    )
    assert denied["Action"] == "s3:*"
    assert denied["Principal"] == "*"
    assert denied["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert len(denied["Resource"]) == 2, "the bucket and what lies in it"
    bucket = resources["Bills"]["Properties"]
    assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}
    hcl = (DEPLOY / "terraform" / "export.tf").read_text()
    assert re.search(r'effect\s+= "Deny"\n\s+actions\s+= \["s3:\*"\]', hcl)
    assert re.search(r'variable = "aws:SecureTransport"\n\s+values\s+= \["false"\]', hcl)
    assert re.search(r'versioning_configuration \{\n\s+status = "Enabled"', hcl)


def test_the_provider_is_pinned_and_an_external_id_is_asked_for() -> None:
    pinned = re.search(r'version = "(\d+\.\d+\.\d+)"', (DEPLOY / "terraform/main.tf").read_text())
    assert pinned
    lock = (DEPLOY / "terraform" / ".terraform.lock.hcl").read_text()
    assert re.search(rf'version +?= "{re.escape(pinned[1])}"', lock)
    variables = (DEPLOY / "terraform" / "variables.tf").read_text()
    block = re.search(r'^variable "external_id" \{\n(.*?)^\}', variables, re.MULTILINE | re.DOTALL)
    assert block
    assert "default" not in block[1]
    trust = cloudformation()["Reader"]["Properties"]["AssumeRolePolicyDocument"]["Statement"][0]
    assert trust["Condition"] == {"StringEquals": {"sts:ExternalId": "ExternalId"}}


def test_both_templates_make_the_same_export_with_what_the_format_reads() -> None:
    hcl = (DEPLOY / "terraform" / "export.tf").read_text()
    columns = re.findall(r'^    "(\w+)",$', hcl, re.MULTILINE)
    query = cloudformation()["Focus"]["Properties"]["Export"]["DataQuery"]["QueryStatement"]
    assert query == f"SELECT {', '.join(columns)} FROM FOCUS_1_2_AWS"
    read = {*focus.REQUIRED, *focus.TEXTS, *focus.TIMES, *focus.QUANTITIES, *focus.UNITS, *COSTS}
    assert read | {"Tags", "SkuMeter", "SkuPriceDetails"} <= set(columns)


def prepared(tmp_path: Path, sources: list[str], *trusted: str) -> Path:
    """A folder in which Terraform works out the policy for these sources; it needs no provider."""
    where = tmp_path / "deploy" / "terraform"
    where.mkdir(parents=True, exist_ok=True)
    shutil.copy(DEPLOY / "iam-policy.json", tmp_path / "deploy")
    for name in ("policy.tf", "variables.tf"):
        shutil.copy(DEPLOY / "terraform" / name, where)
    (where / "out.tf").write_text('output "policy" {\n  value = local.policy\n}\n')
    given = {"sources": sources, "bucket": "ours", "prefix": "bills", "external_id": "agreed-upon"}
    values = json.dumps(given | {"trusted_principals": trusted})
    (where / "terraform.tfvars.json").write_text(values)
    return where


def made_by_terraform(tmp_path: Path, sources: list[str]) -> list[str]:
    """The statements that Terraform gives a role for these sources."""
    where = prepared(tmp_path, sources)
    for command in ("init", "apply -auto-approve", "output -raw policy"):
        done = subprocess.run(
            ["terraform", *command.split()], cwd=where, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    statements = json.loads(done.stdout)["Statement"]
    assert "YOUR-" not in done.stdout
    return [one["Sid"] for one in statements]


def test_terraform_lets_a_role_read_what_its_sources_need(tmp_path: Path) -> None:
    if shutil.which("terraform") is None:
        pytest.skip("no terraform here")
    assert made_by_terraform(tmp_path, ["cloudwatch", "sagemaker"]) == ["Metrics", "TrainingJobs"]
    text = (DEPLOY / "terraform" / "policy.tf").read_text()
    kinds = re.findall(r'^    (\w+) += \["', text, re.MULTILINE)
    of_aws = {one.kind for one in SOURCES if issubclass(one.accepts, Access)}
    assert {*kinds} - {"files", "organization"} <= {one.kind for one in SOURCES}
    assert of_aws - {one.kind for one in SOURCES if issubclass(one.accepts, FileOptions)} <= {
        *kinds
    }
    every = {one["Sid"] for one in POLICY}
    assert set(made_by_terraform(tmp_path, kinds)) == every, "all of the policy is for something"


@pytest.mark.parametrize(
    ("trusted", "status"),
    [
        ("arn:aws:iam::999900000001:role/team/breakeven", 0),
        ("*", 1),
        ("999900000001", 1),
        ("arn:aws:iam::999900000001:root", 1),
        ("arn:aws:iam::999900000001:role/*", 1),
    ],
)
def test_terraform_lets_named_roles_and_users_alone_read(
    tmp_path: Path, trusted: str, status: int
) -> None:
    if shutil.which("terraform") is None:
        pytest.skip("no terraform here")
    where = prepared(tmp_path, ["cloudwatch"], trusted)
    for command, expected in (("init", 0), ("apply -auto-approve", status)):
        line = ["terraform", *command.split()]
        done = subprocess.run(line, cwd=where, capture_output=True, text=True, check=False)
        assert done.returncode == expected, done.stderr
    assert ("ARNs of roles or users" in done.stderr) == bool(status)


@pytest.mark.parametrize("trusted", ["*", "arn:aws:iam::999900000001:root"])
def test_cloudformation_lets_named_roles_and_users_alone_read(trusted: str) -> None:
    text = (DEPLOY / "cloudformation.yaml").read_text()
    allowed = re.search(r'TrustedPrincipal:\n.*\n +AllowedPattern: "(.*)"', text)
    assert allowed
    assert re.fullmatch(allowed[1], "arn:aws:iam::999900000001:role/team/breakeven")
    assert not re.fullmatch(allowed[1], trusted)


def test_terraform_is_formatted() -> None:
    if shutil.which("terraform") is None:
        pytest.skip("no terraform here")
    command = ["terraform", f"-chdir={DEPLOY / 'terraform'}", "fmt", "-check"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


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
