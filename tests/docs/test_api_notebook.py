"""The notebook of the API runs against a real server, and holds no outputs.

What reads notebooks compiles grammars for a second when it is imported: only these tests wait.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.dashboard import world
from tests.support.dashboard.server import served

NOTEBOOK = Path(__file__).parents[2] / "docs" / "api.ipynb"


def test_the_notebook_holds_no_outputs() -> None:
    import nbformat

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(code) > 5
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)


@pytest.mark.systems
def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import nbformat
    from nbclient import NotebookClient

    world.publish(tmp_path)
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    with served(tmp_path) as server:
        monkeypatch.setenv("API_URL", server.url)
        NotebookClient(notebook, timeout=120).execute(cwd=str(tmp_path))
    text = str(notebook.cells)
    assert "Moving atlas-7b to Trainium has paid for itself" in text
    assert "Decimal('31241.68')" in text
    assert "304" in notebook.cells[-1].outputs[0]["data"]["text/plain"]
