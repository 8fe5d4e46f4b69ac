"""Kubernetes: which pods had accelerators of which nodes, how many, and when.

In: answers of a Prometheus that scrapes kube-state-metrics, or files that `kubectl get -o json`
wrote. Out: allocations by cluster and UTC day. Serves METHOD §2.10, and the sources `kubernetes`
and `hyperpod`.
"""
