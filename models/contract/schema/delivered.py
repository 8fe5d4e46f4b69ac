"""Columns of the tables that delivered lines become: charges, progress, prices, ….

Money is dollars; times are UTC; null is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping

from models.contract.schema.types import AMOUNT, NUMBER, TAGS

DELIVERY_NUMBER = "DeliveryNumber"
"""Column of lines of several deliveries that are reduced together: the place of a line's delivery
among them, from 1."""

CHARGES = {
    "BillingAccountId": "string",
    "SubAccountId": "string",
    "BillingPeriodStart": "date",
    "ChargePeriodStart": "timestamp",
    "ChargePeriodEnd": "timestamp",
    "FirstHour": "timestamp",
    "LastHour": "timestamp",
    "BillingCurrency": "string",
    "ProviderName": "string",
    "ServiceName": "string",
    "ServiceCategory": "string",
    "RegionId": "string",
    "ResourceId": "string",
    "HostResourceId": "string",
    "MachineId": "string",
    "ClusterName": "string",
    "PodAccelerators": NUMBER,
    "PodShare": NUMBER,
    "PodCost": NUMBER,
    "ChargeCategory": "string",
    "ChargeClass": "string",
    "ChargeDescription": "string",
    "ChargeFrequency": "string",
    "PricingCategory": "string",
    "CommitmentDiscountId": "string",
    "CommitmentDiscountStatus": "string",
    "CapacityReservationId": "string",
    "CapacityReservationStatus": "string",
    "SkuMeter": "string",
    "InstanceType": "string",
    "ConsumedQuantity": NUMBER,
    "ConsumedUnit": "string",
    "InvoiceId": "string",
    "Tags": "string",
    "workload": "string",
    "run": "string",
    TAGS: "string",
    "ListCost": AMOUNT,
    "ContractedCost": AMOUNT,
    "EffectiveCost": AMOUNT,
    "BilledCost": AMOUNT,
}
"""One charge of a bill under FOCUS names, with its workload, run and extra tags.

`HostResourceId`: the instance of a container pod's row, and of the instance's own (METHOD §2.9).
`MachineId`: of accelerator hours without a run tag that jobs may have shared, their machine, empty
where the bill names none; `ClusterName`: the cluster that its tags name (METHOD §2.10). Both are
null where no allocations were delivered. Of a container pod's row, `MachineId` is its instance and
`PodAccelerators` the accelerator-hours that it held, else `PodShare` its part of them; `PodCost` is
what AWS split to it, used or not (METHOD §2.9).
"""

PROGRESS = {
    "observed_at": "timestamp",
    "workload": "string",
    "run": "string",
    "epoch": NUMBER,
    "loss": "float64",
    "samples": NUMBER,
    "tokens": NUMBER,
    "step": NUMBER,
    "samples_per_epoch": NUMBER,
    "recipe": "string",
    "purpose": "string",
    "resumed_from": "string",
    "start_epoch": NUMBER,
    "excludes_repeats": "boolean",
    "source": "string",
}
"""One sample of a run's progress; counters are cumulative, `observed_at` is UTC.

`step` counts training steps; the config says how many tokens or samples each is (METHOD §3.1).
`source` is of what kind it is: one of `models.contract.rules.work.progress_sources.SOURCES`.

Counters that exclude repeats count the run's own work from 0, whatever its parent had reached.
"""

PRICES = {
    "instance_type": "string",
    "region": "string",
    "purchase_option": "string",
    "usd_per_hour": AMOUNT,
    "effective_from": "date",
    "observed_on": "date",
    "plan": "string",
}
"""One observation of a price: dollars per instance-hour, and from which day it holds.

`plan`: the kind of Savings Plan, or the reserved term, that a committed rate belongs to; null for
public prices.
"""

CAPACITY = {
    "kind": "string",
    "account": "string",
    "region": "string",
    "zone": "string",
    "instance_type": "string",
    "reservation": "string",
    "block": "string",
    "reservations": "string",
    "offering": "string",
    "reservation_type": "string",
    "state": "string",
    "tenancy": "string",
    "owner": "string",
    "instances": "int64",
    "available": "int64",
    "created": "timestamp",
    "start": "timestamp",
    "end": "timestamp",
    "end_type": "string",
    "hours": "int64",
    "fee": AMOUNT,
    "observed_on": "date",
    "said_at": "timestamp",
}
"""One item of EC2's answers about capacity; times are UTC, `fee` is dollars.

`kind`: `reservation`, `block` (with its `reservations`, a JSON list), `extension` (of a block's
hours), `offer` (a Capacity Block for sale), `zone` (a zone that has the instance type). A column
that a kind does not have is null.
"""

JOBS = {
    "account": "string",
    "region": "string",
    "job": "string",
    "workload": "string",
    "run": "string",
    "status": "string",
    "instance_type": "string",
    "instances": "int64",
    "managed_spot": "boolean",
    "created_at": "timestamp",
    "started_at": "timestamp",
    "ended_at": "timestamp",
    "training_hours": NUMBER,
    "billed_hours": NUMBER,
    "warm_pool_hours": NUMBER,
}
"""One SageMaker training job on one type of machine; times are UTC, hours are instance-hours.

While a job runs, its hours are null. `billed_hours` is less than `training_hours` by what managed
Spot saved; `warm_pool_hours` were kept and billed after the job.
"""

UTILISATION = {
    "observed_at": "timestamp",
    "account": "string",
    "region": "string",
    "host": "string",
    "device": "string",
    "instance_type": "string",
    "run": "string",
    "resource": "string",
    "metric": "string",
    "seconds": "int64",
    "value": "float64",
    "share": "float64",
}
"""How busy a machine, or a part of it, was for some `seconds` from `observed_at` on, UTC.

`resource`: `gpu`, `neuroncore`, `gpu_power`, `cpu`. `value` is as published, `share` a fraction of
all there is; null where the metric does not say of how much. `run` is known where a job names
itself.
"""

ALLOCATIONS = {
    "cluster": "string",
    "account": "string",
    "region": "string",
    "resource": "string",
    "pool": "string",
    "node": "string",
    "instance_type": "string",
    "held_from": "timestamp",
    "held_to": "timestamp",
    "accelerators": NUMBER,
    "of": NUMBER,
    "cpus": NUMBER,
    "of_cpus": NUMBER,
    "share": NUMBER,
    "workload": "string",
    "run": "string",
    "job": "string",
    "attempt": "int64",
    "state": "string",
    "queued_at": "timestamp",
    "reason": "string",
    "labels": "string",
    "observed_at": "timestamp",
}
"""Which job held which part of a machine, from when until when: attempt × machine × interval.

Times are UTC. `held_to` is null where the job still held the machine at `observed_at`. `resource`
is an instance id, or the ARN of a SageMaker job; without one the interval belongs to the `pool` of
its cluster and instance type. `reason` is `run`, or why nobody could use the machine: `drained`,
`down`, `health_check`, `maintenance`. `labels` is a JSON object. A delivery is of one cluster and
one UTC day (its key says which), and of an interval only the part inside that day counts.
"""

DELIVERED: Mapping[str, Mapping[str, str]] = {
    "charges": CHARGES,
    "progress": PROGRESS,
    "prices": PRICES,
    "capacity": CAPACITY,
    "jobs": JOBS,
    "utilisation": UTILISATION,
    "allocations": ALLOCATIONS,
}
"""The tables that all marts are computed from."""
