"""Fetches training progress: from files, CloudWatch, SageMaker, trackers and trainers' logs.

In: files that a training loop wrote and answers of services. Out: batches of counters and losses.
`models.formats.progress` says what they mean: METHOD §3.3.
"""
