"""Defines the demo company's workloads and machine types that the sample does not have."""

from dataclasses import replace

from generator.workloads import (
    A100_40,
    A100_80,
    ALWAYS,
    ATLAS,
    PLATFORM,
    TRN,
    Workload,
)

ML, APPLIED = "999900000003", "999900000004"
H100, H200, TRN2 = "p5.48xlarge", "p5e.48xlarge", "trn2.48xlarge"
BILLION = 1_000_000_000

EMBER = Workload(
    name="ember-20b",
    account=ML,
    team="foundation",
    cost_center="cc-4100",
    recipe="pretrain",
    nodes=1,
    samples_per_epoch=BILLION // 4000,
    tokens_per_sample=4000,
    rates={A100_40: ((ALWAYS, 2.25),), H100: ((ALWAYS, 6.4),), TRN: ((ALWAYS, 2.6),)},
    final_loss=1.774,
)
"""It logs tokens alone: what the generator calls an epoch of it is a billion tokens."""
CINDER = Workload(
    name="cinder-3b",
    account=APPLIED,
    team="search",
    cost_center="cc-4300",
    recipe="full",
    nodes=1,
    samples_per_epoch=1_850_000,
    tokens_per_sample=2048,
    rates={A100_40: ((ALWAYS, 25.4),)},
    final_loss=2.214,
)
FLINT = Workload(
    name="flint-9b",
    account=APPLIED,
    team="assistants",
    cost_center="cc-4200",
    recipe="full",
    nodes=1,
    samples_per_epoch=540_000,
    tokens_per_sample=4096,
    rates={H200: ((ALWAYS, 30.0),), TRN: ((ALWAYS, 21.4),)},
    final_loss=1.655,
)
ATLAS_ON_TRN2 = replace(
    ATLAS,
    account=PLATFORM,
    nodes=1,
    region="us-east-2",
    rates={TRN2: ((ALWAYS, 14.2),)},
)
ATLAS_ON_GPU = replace(ATLAS, nodes=1, rates={A100_80: ATLAS.rates[A100_80]})
