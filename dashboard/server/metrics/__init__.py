"""What Prometheus scrapes: requests of all workers, and how pulls, builds and savings stand.

In: each request, the journals beside the warehouse, and the published snapshot. Out: Prometheus'
text on `serve.metrics`, for whoever has the token. Chapter: docs/architecture.md; every metric:
docs/operations/metrics.md.
"""
