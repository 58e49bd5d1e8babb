"""Filters and facets: which chunks a question may reach, and what they could be narrowed to."""
