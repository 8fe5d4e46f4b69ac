"""`breakeven demo` restores its company, builds it and says how to go on."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from breakeven import main
from breakeven.verbs import demo
from models.config.loading import load
from models.config.settings import Settings
from models.engine import build
from models.raw.zone import RawZone
from models.records.closes import Closes
from tests.support.dashboard.server import free_port


def test_the_demo_ends_with_what_to_look_for_how_to_go_on_and_where_to_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    built: list[Settings] = []
    found: list[Settings] = []
    served: list[tuple[list[str], dict[str, str]]] = []

    def serve(verb: list[str], environ: dict[str, str]) -> int:
        served.append((verb, environ))
        found.append(load(Path(verb[verb.index("--config") + 1]), environ))
        assert len(Closes(built[0].data).every()) == 3
        assert len(RawZone(built[0].data / "raw").deliveries()) > 300
        return 0

    monkeypatch.setattr(build, "build", built.append)
    monkeypatch.setattr(demo, "run_until_first_ends", serve)
    monkeypatch.setenv("PATH", "")  # as after `make demo`, whose environment is not activated
    monkeypatch.setattr("sys.argv", ["/clone/.venv/bin/breakeven", "demo"])
    monkeypatch.setenv("BREAKEVEN_COST__BASIS", "list")  # the reader's own, not the demo's
    port = f"{free_port()}"
    result = CliRunner().invoke(main, ["demo", "--port", port])
    assert result.exit_code == 0, result.output
    *_, look_for, your_own = result.output.splitlines()
    assert look_for.startswith("Look for   ")
    assert your_own == "Your own   /clone/.venv/bin/breakeven init, in a folder of yours"
    ((verb, environ),) = served  # the third line is that of `serve`: Open http://…
    assert verb == [
        "serve",
        "--config",
        str(built[0].data.parent / "breakeven.toml"),
        "--port",
        port,
    ]
    assert f"--config {verb[2]}\n" in result.output
    assert found[0].data == built[0].data
    assert "BREAKEVEN_COST__BASIS" not in environ
    assert not built[0].data.parent.exists()
