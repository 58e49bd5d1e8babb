"""Keys of a request's WSGI environment on which server, middleware and routes agree."""

from __future__ import annotations

from typing import Final

CLIENT_GONE: Final = "sage_ld.client_gone"
"""A function that says whether the client has disconnected; missing where that cannot be known."""
ROUTE: Final = "sage_ld.route"
"""The route of a request, as the metrics name it."""
MODE: Final = "sage_ld.mode"
"""The mode of a retrieval, as the metrics name it."""
