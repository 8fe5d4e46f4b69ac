"""Serves metrics to Prometheus: requests of all workers, state of pulls, builds and savings.

In: each request, the journals beside the warehouse, and the published snapshot. Out: Prometheus'
text on `serve.metrics`, for whoever has the token. Chapter: docs/architecture.md; every metric:
docs/operations/metrics.md.
"""
