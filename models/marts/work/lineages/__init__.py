"""Groups runs that resume one another into lineages, and sums each (METHOD §1, §3).

In: runs with their days of cost and progress. Out: `lineages`, who resumes whom; `lineage_facts`,
what each was, did and cost.
"""
