"""What the price and capacity feeds are asked about, as AWS writes it."""

from __future__ import annotations

from typing import Any

from models.config.settings import Settings
from models.engine.context import BuildContext
from models.engine.reduction import delivered_files
from models.engine.warehouse import connection
from models.engine.warehouse.scratch import scratch
from models.raw.zone import RawZone

P5, TRN1 = "p5.48xlarge", "trn1.32xlarge"
EAST, WEST = "us-east-1", "us-west-2"


def product(
    instance_type: str, dollars: str, since: str = "2026-09-01", **attributes: str
) -> dict[str, Any]:
    """An EC2 product with its on-demand and a reserved term; SageMaker's by its usage type."""
    given = {
        "instanceType": instance_type,
        "regionCode": EAST,
        "operatingSystem": "Linux",
        "tenancy": "Shared",
        "preInstalledSw": "NA",
        "capacitystatus": "Used",
        "licenseModel": "No License required",
        "marketoption": "OnDemand",
        "usagetype": f"BoxUsage:{instance_type}",
        **attributes,
    }
    hosted = ":ml." in given["usagetype"]
    return {
        "product": {"productFamily": "Compute", "attributes": given, "sku": "SKU1"},
        "serviceCode": "AmazonSageMaker" if hosted else "AmazonEC2",
        "terms": {
            "Reserved": {"SKU1.A": term("SKU1.A", "12.3400000000", "2020-01-01")},
            "OnDemand": {"SKU1.B": term("SKU1.B", dollars, since)},
        },
        "version": "20261030",
        "publicationDate": "2026-10-30T10:00:00Z",
    }


def term(code: str, dollars: str, since: str) -> dict[str, Any]:
    dimension = {"unit": "Hrs", "beginRange": "0", "pricePerUnit": {"USD": dollars}}
    return {
        "priceDimensions": {f"{code}.C": dimension},
        "effectiveDate": f"{since}T00:00:00Z",
        "offerTermCode": code,
    }


def reserved_term(length: str, payment: str, hourly: str, upfront: str = "") -> dict[str, Any]:
    found = term(f"SKU1.{length}{payment}", hourly, "2026-05-01")
    if upfront:
        fee = {"unit": "Quantity", "description": "Upfront Fee", "pricePerUnit": {"USD": upfront}}
        found["priceDimensions"]["UPF"] = fee
    named = {"LeaseContractLength": length, "OfferingClass": "standard", "PurchaseOption": payment}
    return found | {"termAttributes": named}


def change(instance_type: str, zone: str, dollars: str, at: str) -> dict[str, Any]:
    return {
        "InstanceType": instance_type,
        "AvailabilityZone": zone,
        "ProductDescription": "Linux/UNIX",
        "SpotPrice": dollars,
        "Timestamp": at,
        "Region": zone[:-1],
    }


def plan(kind: str = "Compute", payment: str = "No Upfront", years: int = 1) -> dict[str, Any]:
    return {
        "savingsPlanId": f"{kind}-{years}",
        "state": "active",
        "savingsPlanType": kind,
        "paymentOption": payment,
        "currency": "USD",
        "commitment": "10.00000000",
        "termDurationInSeconds": years * 31_536_000,
        "productTypes": ["EC2", "Fargate", "Lambda"],
    }


def rate(
    usage_type: str,
    dollars: str,
    kind: str = "Compute",
    payment: str = "No Upfront",
    years: int = 1,
    **properties: str,
) -> dict[str, Any]:
    hosted = ":ml." in usage_type
    given = {
        "region": EAST,
        "instanceType": usage_type.partition(":")[2],
        **({} if hosted else {"productDescription": "Linux/UNIX", "tenancy": "shared"}),
        **properties,
    }
    return {
        "savingsPlanOffering": {
            "offeringId": "offering-1",
            "paymentOption": payment,
            "planType": kind,
            "durationSeconds": years * 31_536_000,
            "currency": "USD",
        },
        "rate": dollars,
        "unit": "Hrs",
        "productType": "SageMaker" if hosted else "EC2",
        "serviceCode": "AmazonSageMaker" if hosted else "AmazonEC2",
        "usageType": usage_type,
        "operation": "RunInstances",
        "properties": [{"name": name, "value": value} for name, value in given.items()],
    }


def reservation(
    name: str, instance_type: str, instances: int, start: str, end: str, **fields: object
) -> dict[str, Any]:
    """A Capacity Block's, bought when it is `CreateDate`; other fields as EC2 calls them."""
    return {
        "CapacityReservationId": name,
        "OwnerId": "999900000001",
        "InstanceType": instance_type,
        "AvailabilityZone": "us-east-1a",
        "TotalInstanceCount": instances,
        "AvailableInstanceCount": instances,
        "Tenancy": "default",
        "State": "active",
        "ReservationType": "capacity-block",
        "StartDate": f"{start}T11:30:00Z",
        "EndDate": f"{end}T11:30:00Z",
        "EndDateType": "limited",
        "Region": EAST,
        **fields,
    }


def offer(instance_type: str, fee: str, **fields: object) -> dict[str, Any]:
    return {
        "CapacityBlockOfferingId": "cbo-1",
        "InstanceType": instance_type,
        "AvailabilityZone": "us-east-1a",
        "InstanceCount": 1,
        "CapacityBlockDurationHours": 24,
        "StartDate": "2026-11-02T11:30:00Z",
        "EndDate": "2026-11-03T11:30:00Z",
        "UpfrontFee": fee,
        "CurrencyCode": "USD",
        "Tenancy": "default",
        "Region": EAST,
        **fields,
    }


def zone(instance_type: str, name: str = "us-east-1a") -> dict[str, Any]:
    return {"InstanceType": instance_type, "Location": name, "Region": name[:-1]}


def told(settings: Settings, form: str) -> list[dict[str, Any]]:
    """What the live deliveries of one format say, in our schema and in order."""
    live = RawZone(settings.data / "raw").live(form)
    view = delivered_files.view_of(live[0])
    with scratch() as backend:
        delivered_files.create_view(BuildContext.reading(settings, backend), view, live)
        return connection.dictionaries(backend.con.execute(f"FROM {view} ORDER BY ALL"))
