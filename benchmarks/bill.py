"""A delivered month to measure on: FOCUS 1.2 Parquet as AWS writes it, made the same every time.

Forty workloads train one run a day, on GPU for twelve days and on Trainium after. Five lines of
seven are theirs: instances (on demand, Spot, Savings Plans), volumes, traffic, requests; the rest
is the company's other services. Costs are doubles, tags are a map, ids are many, and one hour is
corrected.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

import duckdb

from ingest.pull import pull
from models.config.loading import validated_settings
from models.config.settings import Settings

LINES = 10_000_000
START = "2026-09-01"
FOLDER = Path(tempfile.gettempdir()) / "breakeven-bench"
BILL = "focus/focus-00001.snappy.parquet"
MADE = "made.json"
WORKLOADS, HOURS, GPU_DAYS = 40, 720, 12
PLAIN: dict[str, object] = {"start": START, "label": "", "span": 1}
"""The month, what its runs' names begin with, and the days of a run."""

KINDS = """(VALUES
    (0, 'BoxUsage', 'Amazon Elastic Compute Cloud', 'Compute', 'Hours', 1.0),
    (1, 'EBS:VolumeUsage.gp3', 'Amazon Elastic Block Store', 'Storage', 'GB-Mo', 0.08),
    (2, 'EBS:VolumeP-Throughput.gp3', 'Amazon Elastic Block Store', 'Storage', 'GiBps-mo', 40.96),
    (3, 'EBS:VolumeP-IOPS.gp3', 'Amazon Elastic Block Store', 'Storage', 'IOPS-Mo', 0.005),
    (4, 'EBS:SnapshotUsage', 'Amazon Elastic Block Store', 'Storage', 'GB-Mo', 0.05),
    (5, 'DataTransfer-Regional-Bytes', 'Amazon Elastic Compute Cloud', 'Networking', 'GB', 0.01),
    (6, 'DataTransfer-Out-Bytes', 'Amazon Elastic Compute Cloud', 'Networking', 'GB', 0.09),
    (7, 'NatGateway-Bytes', 'Amazon Virtual Private Cloud', 'Networking', 'GB', 0.045),
    (8, 'Requests-Tier1', 'Amazon Simple Storage Service', 'Storage', 'Requests', 0.000005),
    (9, 'Requests-Tier2', 'Amazon Simple Storage Service', 'Storage', 'Requests', 0.0000004),
    (10, 'TimedStorage-ByteHrs', 'Amazon Simple Storage Service', 'Storage', 'GB-Mo', 0.023),
    (11, 'CW:MetricMonitorUsage', 'AmazonCloudWatch', 'Monitoring', 'Metrics', 0.3)
) AS kinds(kind, meter, service, service_category, unit, kind_rate)"""

MACHINES = """(VALUES
    (0, true, 'p4d.24xlarge', 21.957642), (1, true, 'p5.48xlarge', 55.04),
    (0, false, 'trn1.32xlarge', 21.5), (1, false, 'trn1n.32xlarge', 24.78)
) AS machines(machine_kind, gpu, instance_type, hourly)"""

LINE = """
    SELECT i, hash(i) AS noise,
        least(i * {hours} // {lines}, {hours} - 1) AS hour, hour // 24 AS day,
        i % 13889 AS slot, slot % 7 < 5 AS owned,
        slot // 7 % {workloads} AS workload, slot // 280 % 12 AS kind, slot // 3360 AS member,
        day < {gpu_days} AS gpu, workload % 2 AS machine_kind,
        (CASE WHEN owned THEN workload ELSE slot END) % 4 AS place
    FROM range({lines}) AS lines(i)
"""

COLUMNS = """
    SELECT
        'us-west-2a' AS AvailabilityZone,
        CASE WHEN covered THEN 0.0 ELSE listed * 0.97 END AS BilledCost,
        '999900000001' AS BillingAccountId, 'example-payer' AS BillingAccountName,
        'Account' AS BillingAccountType, 'USD' AS BillingCurrency,
        TIMESTAMP '{start}' + INTERVAL 1 MONTH AS BillingPeriodEnd,
        TIMESTAMP '{start}' AS BillingPeriodStart,
        CASE WHEN reserved_lot THEN 'rsv-0a1b2c3d4e5f60718' END AS CapacityReservationId,
        CASE WHEN reserved_lot THEN 'Used' END AS CapacityReservationStatus,
        CASE WHEN i % 50 = 0 THEN 'Credit' ELSE 'Usage' END AS ChargeCategory,
        CASE WHEN hour = 200 AND i % 13 = 0 THEN 'Correction' END AS ChargeClass,
        '$' || rate || ' per ' || unit || ' of ' || usage_type AS ChargeDescription,
        'Usage-Based' AS ChargeFrequency,
        TIMESTAMP '{start}' + to_hours(hour + 1) AS ChargePeriodEnd,
        TIMESTAMP '{start}' + to_hours(hour) AS ChargePeriodStart,
        CASE WHEN covered THEN 'Spend' END AS CommitmentDiscountCategory,
        CASE WHEN covered THEN 'arn:aws:savingsplans::999900000001:savingsplan/5b1d6c52' END
            AS CommitmentDiscountId,
        CASE WHEN covered THEN 'Used' END AS CommitmentDiscountStatus,
        CASE WHEN covered THEN 'Savings Plan' END AS CommitmentDiscountType,
        amount AS ConsumedQuantity, unit AS ConsumedUnit,
        listed * 0.97 AS ContractedCost, rate * 0.97 AS ContractedUnitPrice,
        listed * CASE WHEN covered THEN 0.72 ELSE 0.97 END AS EffectiveCost,
        '1926090099' AS InvoiceId, 'Amazon Web Services, Inc.' AS InvoiceIssuerName,
        listed AS ListCost, rate AS ListUnitPrice,
        CASE WHEN covered THEN 'Committed' WHEN spot THEN 'Dynamic' ELSE 'Standard' END
            AS PricingCategory,
        amount AS PricingQuantity, unit AS PricingUnit,
        'AWS' AS ProviderName, 'Amazon Web Services, Inc.' AS PublisherName,
        ['us-east-1', 'us-west-2', 'us-east-2', 'eu-north-1'][place + 1] AS RegionId,
        substr(md5(concat_ws('/', '{start}', day, workload, kind, member, owned)), 1, 17) AS ident,
        CASE WHEN machine THEN 'i-' WHEN owned THEN 'vol-' ELSE 'arn:aws:other:::' END || ident
            AS ResourceId,
        service AS ServiceName, service_category AS ServiceCategory,
        upper(substr(md5(usage_type), 1, 16)) AS SkuId, usage_type AS SkuMeter,
        CASE WHEN machine THEN MAP {{'InstanceType': instance_type, 'OperatingSystem': 'Linux',
            'CoreCount': '96'}} ELSE MAP {{'Unit': unit}} END AS SkuPriceDetails,
        SkuId || '.JRTCKXETXF' AS SkuPriceId,
        '99990000000' || (2 + place) AS SubAccountId, 'training-' || place AS SubAccountName,
        CASE WHEN owned THEN MAP {{
            'user:workload': 'workload-' || format('{{:02}}', workload),
            'user:run': 'run-{label}' || format('{{:02}}-{{:02}}', workload, day // {span}),
            'user:team': 'team-' || workload % 8
        }} ELSE MAP {{}} END AS Tags,
        'RunInstances' AS x_Operation
    FROM (
        SELECT *,
            CASE WHEN machine THEN hourly * CASE WHEN spot THEN 0.4 ELSE 1 END
                WHEN owned THEN kind_rate ELSE 0.01 END AS rate,
            CASE WHEN machine THEN 1.0 ELSE noise % 100003 / 1000.0 END AS amount,
            rate * amount AS listed,
            ['', 'USW2-', 'USE2-', 'EUN1-'][place + 1] || CASE
                WHEN spot THEN 'SpotUsage:' || instance_type
                WHEN machine THEN 'BoxUsage:' || instance_type
                WHEN owned THEN meter ELSE 'Other-' || slot % 400 END AS usage_type
        FROM (
            SELECT *, owned AND kind = 0 AS machine, machine AND member = 0 AS spot,
                machine AND member = 1 AS covered, machine AND member = 2 AS reserved_lot
            FROM lines
            JOIN {kinds} USING (kind)
            JOIN {machines} USING (machine_kind, gpu)
        )
    )
"""

EPOCHS = """
    SELECT TIMESTAMP '{start}' + to_hours(day * 24 + sample * 4 + 2) AS observed_at,
        'workload-' || format('{{:02}}', workload) AS workload,
        'run-{label}' || format('{{:02}}-{{:02}}', workload, day // {span}) AS run,
        sample * (CASE WHEN day < {gpu_days} THEN 1.0 ELSE 1.2 END) AS epoch,
        2.0 - sample / 10.0 AS loss, 'pretrain' AS recipe, 'production' AS purpose
    FROM range({workloads}) AS a(workload), range({days}) AS b(day), range(6) AS c(sample)
    ORDER BY ALL
"""


def prepare(folder: Path, lines: int = LINES) -> None:
    """Writes the month under `folder` and registers it as `breakeven ingest` does; once."""
    if _made(folder) == lines:
        return
    shutil.rmtree(folder, ignore_errors=True)
    (folder / BILL).parent.mkdir(parents=True)
    sizes: dict[str, object] = {
        "lines": lines,
        "hours": HOURS,
        "days": HOURS // 24,
        "workloads": WORKLOADS,
        "gpu_days": GPU_DAYS,
    }
    with duckdb.connect() as database:
        deliver(database, folder / BILL, sizes)
        epochs = EPOCHS.format_map(PLAIN | sizes)
        database.execute(f"COPY ({epochs}) TO '{folder / 'epochs.csv'}' (HEADER)")
    pull(settings(folder)).raise_failures()
    (folder / MADE).write_text(json.dumps(lines))


def deliver(database: duckdb.DuckDBPyConnection, file: Path, sizes: dict[str, object]) -> None:
    """Writes a month of `sizes`."""
    database.execute(f"CREATE OR REPLACE VIEW lines AS {LINE.format_map(sizes)}")
    columns = COLUMNS.format_map(PLAIN | sizes | {"kinds": KINDS, "machines": MACHINES})
    file.parent.mkdir(parents=True, exist_ok=True)
    database.execute(
        f"COPY (SELECT * EXCLUDE (ident) FROM ({columns})) TO '{file}'"
        " (FORMAT parquet, COMPRESSION snappy)"
    )


def settings(folder: Path) -> Settings:
    """The configuration of the measured company; its warehouse lies in `folder`."""
    moved = [f"workload-{number:02}" for number in range(WORKLOADS)]
    outlay = {"date": "2026-08-15", "kind": "engineering", "days": 5, "day_rate": 1000}
    return validated_settings(
        {
            "as_of": "2026-10-31",
            "warehouse": {"path": "warehouse.duckdb"},
            "tags": {"extra": ["team"]},
            "sources": [
                {"kind": "focus", "location": "focus"},
                {"kind": "progress_file", "location": "epochs.csv"},
            ],
            "investments": [outlay | {"workload": name} for name in moved],
        },
        home=folder,
    )


def _made(folder: Path) -> int | None:
    made = folder / MADE
    return int(json.loads(made.read_text())) if made.is_file() else None


if __name__ == "__main__":
    prepare(Path(sys.argv[1]), int(sys.argv[2]))
