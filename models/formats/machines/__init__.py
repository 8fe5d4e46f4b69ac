"""Reads what machines did: SageMaker training jobs, and utilisation of accelerators and CPUs.

In: training jobs as SageMaker describes them, CloudWatch's utilisation metrics, and reports of
neuron-monitor. Out: rows of `jobs` and of `utilisation`, which pages show next to costs. They
explain costs (METHOD §4) and never enter one.
"""

from __future__ import annotations

from models.formats.format import Format
from models.formats.machines import neuron_monitor, training_jobs, utilisation

FORMATS: tuple[Format, ...] = (training_jobs, utilisation, neuron_monitor)
