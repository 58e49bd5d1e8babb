"""Channels: the ways from one chunk to others over the graph, and the hops that a ranking takes."""
