"""Lists the days of workloads and runs: settled or not, their cost and work, unbilled or not.

In: `spend_daily` and `progress_daily`. Out: `workload_settled`, the last settled day of each
workload; `calendar`, its days; `work_daily`, cost and progress of each run by day. Chapters: METHOD
§1 and §4.
"""
