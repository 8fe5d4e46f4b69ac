"""What the move saved on the volume that was trained before it (METHOD §6, "At the old volume").

In: work on GPU before the cutover and since, credited work on Trainium, savings by kind and day.
Out: `gpu_volume`, from which `old_volume` is computed, and the part of each day's saving that
stands on that volume. Chapter: METHOD §6.
"""
