"""Pages for people: what they show of a resource, its labels, lists, templates."""
