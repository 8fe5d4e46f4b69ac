"""Computes what was saved on as much work as was trained before the move (METHOD §6.9).

In: work on GPU before the cutover and since, credited work on Trainium, savings by kind and day.
Out: `gpu_volume`, from which `old_volume` is computed, and the part of each day's saving
on that volume. Chapter: METHOD §6.
"""
