"""The image is built as hadolint would have it, and holds nothing that a user made."""

from __future__ import annotations

import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[2]
SECRETS = ("web.json", "tokens.json", "ended_sessions.json", "audit.jsonl", "warehouse.duckdb")


def test_hadolint_finds_nothing() -> None:
    command = [str(Path(sys.executable).parent / "hadolint"), "Dockerfile"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "")


def test_no_secret_of_a_checkout_that_is_in_use_gets_into_the_image() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for name in SECRETS:
        assert any(fnmatch(f"data/{name}", pattern) for pattern in ignored[1:]), name
    for name in ("tls/certificates", "terraform/.terraform", "terraform/terraform.tfstate"):
        assert any(fnmatch(f"deploy/{name}", pattern) for pattern in ignored[1:]), name


def test_a_container_without_a_dashboard_is_told_to_run_without_its_check() -> None:
    check = (ROOT / "Dockerfile").read_text(encoding="utf-8").partition("HEALTHCHECK")
    assert "/livez" in check[2].splitlines()[1], "only a dashboard answers it"
    for name in ("Dockerfile", "docs/operations/compose.md"):
        assert "--no-healthcheck" in (ROOT / name).read_text(encoding="utf-8")
