"""Reads CloudWatch metrics for two kinds of source: training progress, and utilisation.

In: the mapped names of a namespace and a range of days. Out: datapoints as rows of one schema,
merged with what was delivered before so that no day loses samples. Serves METHOD §3.1.
"""
