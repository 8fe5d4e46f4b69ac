"""What stands at the head of Overview and of each workload: the answer, and what it rests on.

In: rows of the snapshot. Out: the sentence, the curve of net savings, returns, what goes on as now,
and how much is judged. Chapter: METHOD §6.
"""
