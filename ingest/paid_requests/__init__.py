"""Records AWS requests that cost money, keeps them below a daily cap, and caches their responses.

In: a request with its price. Out: its response. The request is recorded before it is sent, or
refused once the day's cap (`cost.api_budget_usd_per_day`) is reached. Responses stay on disk until
their delivery is sealed, so that an interrupted pull never pays twice. Serves docs/architecture.md.
"""
