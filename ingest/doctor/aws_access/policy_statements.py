"""Names the statement of the shipped IAM policy that allows an AWS action."""

from __future__ import annotations

STATEMENTS = {
    "bcm-data-exports": "ExportHealth",
    "ce": "CostExplorer",
    "cloudwatch": "Metrics",
    "ec2": "Capacity",
    "ec2:DescribeSpotPriceHistory": "SpotPrices",
    "kms": "ExportKey",
    "organizations": "Organization",
    "pricing": "PriceList",
    "batch": "BatchJobs",
    "ecs": "BatchJobs",
    "sagemaker": "TrainingJobs",
    "sagemaker:DescribeCluster": "HyperPodNodes",
    "sagemaker:ListClusterNodes": "HyperPodNodes",
    "s3": "ExportFiles",
    "s3:ListBucket": "ExportListing",
    "savingsplans": "SavingsPlans",
    "sts": "OtherAccounts",
}
"""Statements of `deploy/iam-policy.json`, by action, else by service.

The statement for a bucket's own key is in the templates beside it: no policy can name every key.
"""


def policy_statement(action: str) -> str:
    """Returns the name of the statement in the shipped IAM policy that allows an action, or ""."""
    return STATEMENTS.get(action) or STATEMENTS.get(action.partition(":")[0], "")
