"""Views for pages: resources, labels, lists, templates."""
