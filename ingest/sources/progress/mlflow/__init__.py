"""Fetches the metrics that training runs logged to an MLflow tracking server.

In: a server's address and the metrics that the config maps. Out: a delivery per experiment and day
on which runs began. Serves METHOD §3.1.
"""

from ingest.sources.progress.mlflow.feed import MLflow

__all__ = ["MLflow"]
