"""Keys of a request's WSGI environment on which server and application agree."""

from __future__ import annotations

from typing import Final

BODY_READ: Final = "sage_ld.body_read"
"""What the server wants called once the request has been read to its end."""
