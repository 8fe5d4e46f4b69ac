"""Computes what pools of shared machines cost, who held them, who bears idle cost (METHOD §2.10).

In: the parts of shared machines (`attributed`), cutovers and runs. Out: `pools` and
`allocation_coverage` by month, and the idle cost that enters savings by day.
"""
