"""Fetches which job had which machine: from schedulers, or from files that somebody writes.

In: jobs of Slurm, Kubernetes, HyperPod, AWS Batch and SageMaker, and stated intervals. Out: batches
of allocations. `models.formats.allocations` says what they mean: METHOD §2.10.
"""
