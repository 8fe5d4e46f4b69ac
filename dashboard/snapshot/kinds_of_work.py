"""Workloads that do several kinds of work, and so have no single cost of an epoch.

A kind of work is a recipe with its number of samples per epoch. Each kind has a GPU baseline of its
own (`further_baselines`); `baselines` holds that of the main kind and flags it `several_kinds`.
The mean over all epochs mixes the kinds, so the main kind's baseline may not stand beside it:
every statement that would show a single figure asks one of these conditions. METHOD §4 and §5.
"""

from __future__ import annotations

SEVERAL_KINDS = "list_contains(flags, 'several_kinds')"
"""Condition on `baselines`: the value is that of the main kind of work only."""

UNLIKE_EPOCHS = "list_has_any(flags, ['per_token', 'several_kinds'])"
"""Condition on `baselines`: epochs of the workload are not all the same work, because they differ
in kind or, where tokens are compared, in size. A mean cost per epoch says nothing of either."""
