"""The manifests are what Kubernetes takes, and confine what they run."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from models.config.loading import load
from tests.support.kubectl.pinned import kubectl

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy/kubernetes"
SCHEMAS = ROOT / "tests/deploy/kubernetes_schemas/v1.37.json"
KINDS = {
    "v1": "io.k8s.api.core.v1",
    "apps/v1": "io.k8s.api.apps.v1",
    "networking.k8s.io/v1": "io.k8s.api.networking.v1",
    "policy/v1": "io.k8s.api.policy.v1",
}
Manifest = dict[str, Any]


@cache
def schemas() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(SCHEMAS.read_text(encoding="utf-8"))
    return found


def faults(manifest: Manifest) -> list[str]:
    """Where a manifest is not what the schema of its kind says.

    The import compiles grammars for a second: who collects tests does not wait for them.
    """
    import jsonschema

    kind = f"{KINDS[manifest['apiVersion']]}.{manifest['kind']}"
    schema = {"$ref": f"#/$defs/{kind}", "$defs": schemas()["$defs"]}
    every = jsonschema.Draft202012Validator(schema).iter_errors(manifest)
    return [f"{kind} {error.json_path}: {error.message}" for error in every]


def written() -> list[Manifest]:
    """The manifests as they stand in the folder."""
    names = sorted(FOLDER.glob("*/*.yaml"))
    files = [path for path in names if path.name != "kustomization.yaml"]
    texts = [path.read_text(encoding="utf-8") for path in files]
    return [one for text in texts for one in yaml.safe_load_all(text)]


def pods(manifests: list[Manifest]) -> Iterator[Manifest]:
    for each in manifests:
        if each["kind"] == "Deployment":
            yield each["spec"]["template"]["spec"]


def containers(manifests: list[Manifest]) -> Iterator[Manifest]:
    for pod in pods(manifests):
        yield from pod["containers"]


def test_every_manifest_is_what_kubernetes_takes() -> None:
    manifests = written()
    assert len(manifests) == 7
    assert [fault for each in manifests for fault in faults(each)] == []
    broken = {**manifests[0], "spek": {}}
    assert faults(broken), "an unknown key is found"


def test_each_folder_lists_its_files() -> None:
    for path in FOLDER.glob("*/kustomization.yaml"):
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        files = {each.name for each in path.parent.glob("*.yaml")} - {path.name}
        assert files == {each for each in document["resources"] if each.endswith(".yaml")}
        for each in document["resources"]:
            assert (path.parent / each).exists()


def test_every_process_is_confined() -> None:
    for pod in pods(written()):
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] == 10001, "the user of the image"
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
    for each in containers(written()):
        confined = each["securityContext"]
        assert confined["readOnlyRootFilesystem"] is True
        assert confined["allowPrivilegeEscalation"] is False
        assert confined["capabilities"] == {"drop": ["ALL"]}
        assert {"cpu", "memory"} <= set(each["resources"]["requests"])
        assert "memory" in each["resources"]["limits"]


def test_probes_name_a_host_that_is_answered() -> None:
    servers = [each for each in containers(written()) if each["name"] == "web"]
    assert len(servers) == 2
    for each in servers:
        for probe, path in (
            ("startup", "/livez"),
            ("liveness", "/livez"),
            ("readiness", "/readyz"),
        ):
            get = each[f"{probe}Probe"]["httpGet"]
            assert get["path"] == path
            assert get["httpHeaders"] == [{"name": "Host", "value": "localhost"}]


def test_secrets_come_by_reference_and_the_config_is_one() -> None:
    for each in containers(written()):
        for variable in each["env"]:
            assert variable["valueFrom"]["secretKeyRef"]["name"] == "breakeven"
    settings = load(FOLDER / "base/breakeven.toml", {})
    assert settings.serve.metrics == "0.0.0.0:9464"
    assert settings.auth.mode == "oidc", "nobody reads a bill without signing in"


def test_one_scheduler_runs_whatever_happens() -> None:
    (both,) = (
        each for each in written() if "schedule" in str(each) and each["kind"] == "Deployment"
    )
    assert both["spec"]["replicas"] == 1
    assert both["spec"]["strategy"] == {"type": "Recreate"}
    others = [each for each in containers(written()) if each["args"] == ["schedule"]]
    assert len(others) == 1


@pytest.mark.systems
@pytest.mark.parametrize("folder", ["base", "shared-volume"])
def test_kustomize_makes_what_kubernetes_takes(folder: str) -> None:
    command = [kubectl(), "kustomize", str(FOLDER / folder)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, ""), "nothing that it will not take for long"
    manifests = list(yaml.safe_load_all(ended.stdout))
    assert [fault for each in manifests for fault in faults(each)] == []
    by_kind = {each["kind"]: each for each in manifests}
    mode = by_kind["PersistentVolumeClaim"]["spec"]["accessModes"]
    assert mode == (["ReadWriteMany"] if folder == "shared-volume" else ["ReadWriteOnce"])
    config = by_kind["ConfigMap"]["metadata"]["name"]
    for pod in pods(manifests):
        (volume,) = (each for each in pod["volumes"] if each["name"] == "config")
        assert volume["configMap"]["name"] == config, "a change of the config starts it anew"
    (image,) = {each["image"] for each in containers(manifests)}
    assert f"image: {image}\n" in (ROOT / "deploy/compose.yaml").read_text(encoding="utf-8")
