"""AWS Batch: which jobs ran on which ECS container instances, and when.

In: answers of Batch and of ECS. Out: attempts of jobs and the EC2 instances that they ran on.
Serves METHOD §2.10, and the source `batch`.
"""
