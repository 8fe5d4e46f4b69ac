"""W&B's own client: it lists what a server has, and prints it as JSON. Run as a program."""

from __future__ import annotations

import importlib
import json
import sys


def main(entity: str, page: int) -> None:
    """Prints projects and runs of an entity, with whole and sampled histories."""
    api = importlib.import_module("wandb").Api(timeout=30)
    told: list[dict[str, object]] = [
        {
            "project": project.name,
            "run": run.name,
            "config": dict(run.config),
            "tags": list(run.tags),
            "created": run.created_at,
            "rows": list(run.scan_history(keys=["_step", "_timestamp", "loss"], page_size=page)),
            "sampled": len(run.history(keys=["loss"], samples=page, pandas=False)),
        }
        for project in api.projects(entity)
        for run in api.runs(f"{entity}/{project.name}", per_page=2, lazy=False)
    ]
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
