"""Compares short, identical runs on GPU and Trainium: is the port worth it? (METHOD §5.6)

In: the progress and machine-hours of runs of purpose `benchmark`, prices, and the baseline. Out:
`benchmark_runs`, what each run's steady part says, and `benchmarks`, the answer by kind of work and
platform.
"""
