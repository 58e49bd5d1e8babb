"""The tools of an agent: the table of what it may do with a graph, the policy and approvals of its calls."""
