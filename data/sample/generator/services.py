"""The AWS services on the bill, in the words that FOCUS has for them."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Service:
    """What FOCUS says about the service of a line."""

    name: str
    code: str
    category: str
    subcategory: str


EC2 = Service("Amazon Elastic Compute Cloud", "AmazonEC2", "Compute", "Virtual Machines")
EBS = Service("Amazon Elastic Compute Cloud", "AmazonEC2", "Storage", "Block Storage")
TRANSFER = Service(
    "Amazon Elastic Compute Cloud", "AWSDataTransfer", "Networking", "Other (Networking)"
)
FSX = Service("Amazon FSx", "AmazonFSx", "Storage", "File Storage")
S3 = Service("Amazon Simple Storage Service", "AmazonS3", "Storage", "Object Storage")
SUPPORT = Service(
    "AWS Support (Business)", "AWSSupportBusiness", "Management and Governance", "Support"
)
PLANS = Service(
    "Savings Plans for AWS Compute usage", "ComputeSavingsPlans", "Compute", "Other (Compute)"
)


@dataclass(frozen=True)
class Storage:
    """A kind of storage and its price per GB-month in us-east-1."""

    service: Service
    price: Decimal
    usage_type: str
    operation: str
    resource_type: str


VOLUME = Storage(EBS, Decimal("0.08"), "EBS:VolumeUsage.gp3", "CreateVolume-Gp3", "volume")
LUSTRE = Storage(
    FSX, Decimal("0.145"), "Lustre-Storage-SSD-125", "CreateFileSystem:Lustre", "file-system"
)
BUCKET = Storage(S3, Decimal("0.023"), "TimedStorage-ByteHrs", "StandardStorage", "bucket")
