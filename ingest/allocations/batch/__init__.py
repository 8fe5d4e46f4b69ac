"""AWS Batch: which jobs held which container instances.

In come answers of Batch and of ECS; out go attempts of jobs and the EC2 instances that they ran on.
Serves METHOD §2.10, and the source `batch`.
"""
