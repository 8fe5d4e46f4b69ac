"""Lists SageMaker's training jobs of one account and region, and their tags. All of it is free."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from ingest import aws
from ingest.billing_months import midnight
from ingest.source import Window

Document = dict[str, Any]
SEEN_DAYS = 400
"""The days whose jobs are listed: the year that a baseline looks back, and a month."""
IN_PROGRESS = ("InProgress", "Stopping")
"""Jobs that change though their listing does not."""


def listed(client: Any, first: date, last: date) -> list[Document]:  # noqa: ANN401
    """Lists SageMaker's training jobs created on a range of UTC days, oldest first, in summary."""
    window = {
        "CreationTimeAfter": midnight(first),
        "CreationTimeBefore": midnight(last + timedelta(days=1)),
    }
    parameters = {**window, "SortBy": "CreationTime", "SortOrder": "Ascending", "MaxResults": 100}
    action = "sagemaker:ListTrainingJobs"
    return list(pages(client, "list_training_jobs", action, "TrainingJobSummaries", parameters))


def days_to_list(window: Window, today: date) -> tuple[date, date]:
    """Returns the first and last day whose jobs are listed: those asked for, else the last 400."""
    first = window.first or today - timedelta(days=SEEN_DAYS)
    return first, min(window.last or today, today)


def described(client: Any, name: str) -> Document:  # noqa: ANN401
    """Returns SageMaker's description (DescribeTrainingJob) of the training job of a name."""
    with aws.refusals("sagemaker:DescribeTrainingJob"):
        answer = client.describe_training_job(TrainingJobName=name)
    return {name: value for name, value in answer.items() if name != "ResponseMetadata"}


def tags(client: Any, arn: str) -> dict[str, str]:  # noqa: ANN401
    """Returns the tags (key to value) of the SageMaker training job with a given ARN."""
    every = pages(client, "list_tags", "sagemaker:ListTags", "Tags", {"ResourceArn": arn})
    return {tag["Key"]: tag["Value"] for tag in every}


def pages(
    client: Any,  # noqa: ANN401
    method: str,
    action: str,
    member: str,
    parameters: Document,
) -> Iterator[Document]:
    """Yields the items on all pages of a SageMaker list operation, past empty pages too."""
    token: dict[str, str] = {}
    while True:
        with aws.refusals(action):
            page = getattr(client, method)(**parameters, **token)
        yield from page.get(member, [])
        if not page.get("NextToken"):
            return
        token = {"NextToken": page["NextToken"]}
