"""CloudWatch metrics, as both the progress feed and the utilisation feed read them.

In come the mapped names of a namespace and a range of days; out come datapoints as rows of one
schema, merged with what was delivered before so that no day loses samples. Serves METHOD §3.1.
"""
