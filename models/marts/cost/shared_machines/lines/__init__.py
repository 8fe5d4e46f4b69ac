"""Assigns the bill's machine lines to numbered days of machines and pools (METHOD §2.10).

In: lines of the due days (`due_lines`, `due_kinds`), what is known of machines (`members`), and
which clusters have allocations (`held_clusters`). Out: `placed_lines`, each line with the unit that
it is divided by, `line_periods`, its periods, and `cut_lines`, each line where shares change.
"""
