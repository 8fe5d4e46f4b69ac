"""Training jobs as SageMaker describes them."""

from __future__ import annotations

from typing import Any

TAGS = {"workload": "atlas-7b", "run": "atlas-t7", "recipe": "full"}


def job(name: str, day: str = "20", **other: object) -> dict[str, Any]:
    """A job of two trn1 that trained an hour on a day of October 2025, as AWS describes it."""
    return {
        "TrainingJobName": name,
        "TrainingJobArn": f"arn:aws:sagemaker:us-east-1:999900000001:training-job/{name}",
        "TrainingJobStatus": "Completed",
        "SecondaryStatus": "Completed",
        "CreationTime": f"2025-10-{day}T00:00:00Z",
        "TrainingStartTime": f"2025-10-{day}T00:10:00Z",
        "TrainingEndTime": f"2025-10-{day}T01:10:00Z",
        "LastModifiedTime": f"2025-10-{day}T01:15:00Z",
        "AlgorithmSpecification": {"TrainingInputMode": "File"},
        "ModelArtifacts": {"S3ModelArtifacts": "s3://models/m.tar.gz"},
        "StoppingCondition": {"MaxRuntimeInSeconds": 86400},
        "ResourceConfig": {
            "InstanceType": "ml.trn1.32xlarge",
            "InstanceCount": 2,
            "VolumeSizeInGB": 100,
        },
        "TrainingTimeInSeconds": 3600,
        "BillableTimeInSeconds": 3600,
        "FinalMetricDataList": [
            {"MetricName": "epoch", "Value": 4.0, "Timestamp": f"2025-10-{day}T01:09:00Z"},
            {"MetricName": "loss", "Value": 1.5, "Timestamp": f"2025-10-{day}T01:09:00Z"},
            {"MetricName": "lr", "Value": 0.1, "Timestamp": f"2025-10-{day}T01:09:00Z"},
        ],
        "Tags": TAGS,
        **other,
    }
