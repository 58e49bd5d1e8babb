"""Keys of a request's WSGI environment on which server and application agree."""

from __future__ import annotations

from typing import Final

BODY_READ: Final = "sage_ld.body_read"
"""What the server wants called once the request has been read to its end."""
CLIENT_GONE: Final = "sage_ld.client_gone"
"""A function that says whether the client has hung up; it gives False where that cannot be known."""
MAKE_WAY: Final = "sage_ld.make_way"
"""What the server wants called before anything that takes more than a moment."""
