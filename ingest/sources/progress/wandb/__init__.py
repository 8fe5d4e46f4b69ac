"""Fetches the metrics that training runs logged to Weights & Biases (W&B).

In: an entity, its projects and the metrics that the config maps. Out: a delivery per project and
day on which runs began. Serves METHOD §3.3.
"""

from ingest.sources.progress.wandb.feed import WandB

__all__ = ["WandB"]
