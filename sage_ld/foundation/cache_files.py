"""Files in the cache folder: each is written as a whole, so that a reader never finds half of one."""

from __future__ import annotations

import logging
import tempfile
from contextlib import suppress
from pathlib import Path

import platformdirs

from sage_ld.foundation.settings import Settings

_log = logging.getLogger(__name__)


def cache_folder(settings: Settings) -> Path:
    """The folder of all that is kept between two runs and can be made again."""
    return Path(settings.cache_dir or platformdirs.user_cache_dir("sage-ld"))


def keep(path: Path, content: bytes) -> None:
    """Puts a file into the cache, in the place of an older one. Where that cannot be done, it is logged."""
    draft: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.", delete=False) as file:
            draft = Path(file.name)
            file.write(content)
        draft.replace(path)
    except OSError as error:
        _log.warning("%s is not kept (%s); check the setting cache_dir", path, error)
        if draft is not None:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
