"""The bill of materials is CycloneDX and names every pinned package."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

ROOT = Path(__file__).parents[2]
PIN = re.compile(r"^([a-z0-9._-]+)==([^ ]+)", re.MULTILINE)


def test_it_names_every_pinned_package(tmp_path: Path) -> None:
    target = tmp_path / "sbom.json"
    command = ["make", "--old-file=.venv/test.stamp", "sbom", f"SBOM={target}"]
    made = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert made.returncode == 0, made.stderr
    text = target.read_text(encoding="utf-8")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    document = json.loads(text)
    assert document["metadata"]["component"]["name"] == "breakeven"
    named = {(each["name"], each["version"]) for each in document["components"]}
    assert named == set(PIN.findall((ROOT / "requirements.lock").read_text(encoding="utf-8")))
