"""Determines what each charge is, regardless of owner (METHOD §2.2, §2.5, §2.8, §2.9).

In: the delivered lines of the bill (`charges`) and the accelerator catalogue. Out: `charge_kinds`,
the sums of equal charges, with component, purchase option and the bucket that needs no
owner, and `instances_without_accelerators`, the parts of instances that container pods used.
"""
