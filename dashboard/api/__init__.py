"""Serves the read-only API under `/api/v1`: the published numbers for programs.

In: GET requests, and the published snapshot through `dashboard.snapshot`. Out: marts by page as
JSON, CSV, Arrow or Parquet, the state of a workload, statements, and an OpenAPI 3.1 document that
is derived from the types of the contract. It computes no number. Chapter:
docs/architecture.md; for who reads it: docs/operations/api.md.
"""
