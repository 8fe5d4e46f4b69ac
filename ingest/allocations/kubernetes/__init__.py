"""Kubernetes: which pods held which nodes, and how many of their accelerators.

In: answers of a Prometheus that scrapes kube-state-metrics, or files that `kubectl get -o json`
wrote. Out: allocations by cluster and UTC day. Serves METHOD §2.10, and the sources `kubernetes`
and `hyperpod`.
"""
