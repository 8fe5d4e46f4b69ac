"""Fetches who held which machine: from schedulers, or from files in which somebody states it.

In come jobs of Slurm, Kubernetes, HyperPod, AWS Batch and SageMaker, and stated intervals; out go
batches of allocations. `models.formats.allocations` says what they mean: METHOD §2.10.
"""
