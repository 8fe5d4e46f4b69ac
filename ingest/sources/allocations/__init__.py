"""Fetches who held which machine: from schedulers, or from files in which somebody states it.

In: jobs of Slurm, Kubernetes, HyperPod, AWS Batch and SageMaker, and stated intervals. Out: batches
of allocations. `models.formats.allocations` says what they mean: METHOD §2.10.
"""
