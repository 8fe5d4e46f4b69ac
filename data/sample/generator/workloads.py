"""The six workloads of the sample data, and how fast public benchmarks say they train.

A rate is sequences per second and instance. Trainium rates are those of the Neuron SDK's
published results, divided by their number of instances. Every figure is cited in README.md.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

Rates = Mapping[str, tuple[tuple[date, float], ...]]

ALWAYS = date(2025, 1, 1)
TRN = "trn1.32xlarge"
A100_80 = "p4de.24xlarge"
A100_40 = "p4d.24xlarge"
RESEARCH = "999900000002"
PLATFORM = "999900000001"


@dataclass(frozen=True)
class Workload:
    """A model and recipe that is trained again and again."""

    name: str
    account: str
    team: str
    cost_center: str
    recipe: str
    nodes: int
    samples_per_epoch: int
    tokens_per_sample: int
    rates: Rates
    final_loss: float
    loss_spread: float = 0.003
    region: str = "us-east-1"
    logs_loss: bool = True

    def rate(self, instance_type: str, day: date) -> float:
        """Returns sequences per second on one instance, by the software release of a day."""
        releases = self.rates[instance_type]
        return releases[bisect_right(releases, day, key=lambda entry: entry[0]) - 1][1]

    @property
    def tags(self) -> dict[str, str]:
        """Returns the cost-allocation tags of everything that this workload starts."""
        return {
            "user:workload": self.name,
            "user:team": self.team,
            "user:cost-center": self.cost_center,
        }


ATLAS = Workload(
    name="atlas-13b",
    account=RESEARCH,
    team="foundation",
    cost_center="cc-4100",
    recipe="pretrain",
    nodes=2,
    samples_per_epoch=488_000,
    tokens_per_sample=4096,
    rates={A100_80: ((ALWAYS, 16482 / 4096),), TRN: ((ALWAYS, 64.7 / 16),)},
    final_loss=1.842,
    loss_spread=0.002,
)
LUMEN = Workload(
    name="lumen-7b",
    account=RESEARCH,
    team="assistants",
    cost_center="cc-4200",
    recipe="full",
    nodes=2,
    samples_per_epoch=488_000,
    tokens_per_sample=4096,
    rates={A100_80: ((ALWAYS, 29472 / 4096),), TRN: ((ALWAYS, 95.14 / 16),)},
    final_loss=1.967,
)
SCRIBE = Workload(
    name="scribe-bert",
    account=PLATFORM,
    team="search",
    cost_center="cc-4300",
    recipe="mlm-128",
    nodes=1,
    samples_per_epoch=200_000_000,
    tokens_per_sample=128,
    rates={
        A100_80: ((ALWAYS, 5541.0),),
        TRN: (
            (ALWAYS, 54357.1 / 16),
            (date(2025, 5, 20), 53655.8 / 16),
            (date(2025, 6, 23), 52515.4 / 16),
            (date(2025, 7, 31), 52431.5 / 16),
            (date(2025, 10, 17), 55617.28 / 16),
            (date(2025, 12, 19), 56923.6521 / 16),
            (date(2026, 2, 26), 57407.9207 / 16),
        ),
    },
    final_loss=1.402,
)
ORBIT = Workload(
    name="orbit-8b",
    account=RESEARCH,
    team="assistants",
    cost_center="cc-4200",
    recipe="full",
    nodes=2,
    samples_per_epoch=122_000,
    tokens_per_sample=8192,
    rates={A100_80: ((ALWAYS, 8 * 2771.2 / 8192),), TRN: ((ALWAYS, 47.95 / 32),)},
    final_loss=1.713,
)
HARBOR = Workload(
    name="harbor-70b",
    account=RESEARCH,
    team="foundation",
    cost_center="cc-4100",
    recipe="full",
    nodes=2,
    samples_per_epoch=14_600,
    tokens_per_sample=4096,
    rates={A100_40: ((ALWAYS, 8 * 376 / 4096),), TRN: ((ALWAYS, 14.44 / 32),)},
    final_loss=1.488,
    region="us-west-2",
)
QUILL = Workload(
    name="quill-6b",
    account=PLATFORM,
    team="search",
    cost_center="cc-4300",
    recipe="pretrain",
    nodes=2,
    samples_per_epoch=586_000,
    tokens_per_sample=2048,
    rates={A100_40: ((ALWAYS, 29436 / 2048),), TRN: ((ALWAYS, 143.75 / 16),)},
    final_loss=2.08,
    logs_loss=False,
)
WORKLOADS = (ATLAS, LUMEN, SCRIBE, ORBIT, HARBOR, QUILL)
