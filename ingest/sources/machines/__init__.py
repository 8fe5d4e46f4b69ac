"""Fetches how busy machines were: from CloudWatch, and from reports of neuron-monitor.

In: hourly metrics and files. Out: batches of them, which pages show next to costs.
`models.formats.machines` says what they mean. They explain costs (METHOD §4) and never enter one.
"""
