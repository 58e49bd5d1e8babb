"""Pictures, whose text is read where a run asks for OCR: photographs and scans, a page for each frame."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.content import content_hash
from sage_ld.build.readers.members import left_out
from sage_ld.build.readers.ocr import PIXELS, lines_in
from sage_ld.build.readers.source import LeftOut, Reader, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

if TYPE_CHECKING:
    from PIL.Image import Image

_MEDIA_TYPES: Final = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".tif": "image/tiff",
    ".tiff": "image/tiff",
    ".webp": "image/webp",
    ".bmp": "image/bmp",
}


def read_picture(source: Source, settings: Settings) -> Iterator[Document | LeftOut]:
    """One document with the text of a picture; without `ocr`, the picture is left out and named.

    Raises InputError for a damaged picture or one without text, LimitError over `max_picture_pixels` or
    `max_ocr_pages`.
    """
    if not settings.ocr:
        yield left_out(source, "a picture, whose text is read with --ocr", settings)
        return
    from sage_ld.build.readers.pdf.content import PagedContent
    from sage_ld.build.readers.pdf.scans import seen_page

    data = source.read(settings)
    builder = DocumentBuilder(source.identifier, settings)
    pages = [seen_page(lines_in(frame, settings), *frame.size) for frame in _frames(data, source, settings)]
    PagedContent(builder, pages, {}).add()
    if builder.empty:
        raise InputError(f"{source.identifier}: no text was found in the picture; leave it out")
    yield builder.build(
        title=source.stem,
        media_type=_MEDIA_TYPES[source.suffix],
        content_hash=content_hash(data),
        types=(v.SCHEMA + "ImageObject",),
    )


def _frames(data: bytes, source: Source, settings: Settings) -> Iterator[Image]:
    """The frames of a picture, upright, none larger than the models see it."""
    from PIL import Image, ImageOps, ImageSequence

    with warnings.catch_warnings(), _opened(data, source) as picture:
        warnings.simplefilter("ignore")  # Pillow warns of large pictures, which the limit is for
        if (count := getattr(picture, "n_frames", 1)) > settings.max_ocr_pages:
            raise LimitError.of(source.identifier, count, settings.max_ocr_pages, "pages", "max_ocr_pages")
        for frame in ImageSequence.Iterator(picture):
            pixels = frame.width * frame.height
            if pixels > (limit := settings.max_picture_pixels):
                raise LimitError.of(
                    source.identifier, pixels, limit, "pixels", "max_picture_pixels", "scale it down"
                )
            try:
                upright = ImageOps.exif_transpose(frame).convert("RGB")
            except (OSError, ValueError, SyntaxError) as error:
                raise _damaged(source, error) from None
            upright.thumbnail((PIXELS, PIXELS), Image.Resampling.LANCZOS)
            yield upright


def _opened(data: bytes, source: Source) -> Image:
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = None  # the setting max_picture_pixels is asked before a picture is unpacked
    try:
        return Image.open(io.BytesIO(data))
    except (OSError, ValueError, SyntaxError) as error:
        raise _damaged(source, error) from None


def _damaged(source: Source, error: Exception) -> InputError:
    return InputError(f"{source.identifier}: the picture is damaged ({error}); create it again")


PICTURE = Reader("picture", _MEDIA_TYPES, read_picture)
