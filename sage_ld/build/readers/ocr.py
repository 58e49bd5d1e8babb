"""Text in pictures, found by RapidOCR (PP-OCR models, which its package brings), where a run asks for it.

The pictures are read one after the other, on one processor, in the process that reads files.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from sage_ld.build.readers.characters import one_line
from sage_ld.foundation import extras
from sage_ld.foundation.errors import UnavailableError
from sage_ld.foundation.settings import Settings

if TYPE_CHECKING:
    from PIL.Image import Image

PIXELS: Final = 2_000
"""The longer side of a picture as the models see it, at most: 170 dots an inch of A4."""
_LEAST_SCORE: Final = 0.5
"""How sure the models are of a line, at least."""


class SeenLine(NamedTuple):
    """A line of text in a picture: its rectangle, in shares of the picture's width and height."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


def lines_in(picture: Image, settings: Settings) -> Iterator[SeenLine]:
    """The lines of text in a picture, from the top.

    Raises UnavailableError without the extra `ocr`, or the model that the setting `ocr_model` names.
    """
    width, height = picture.size
    found = _engine(settings.ocr_model)(np.asarray(picture.convert("RGB")))
    if found.boxes is None:
        return
    for corners, text, score in zip(found.boxes, found.txts, found.scores, strict=True):
        if score >= _LEAST_SCORE and (line := one_line(text)):
            (left, top), (right, bottom) = np.min(corners, axis=0), np.max(corners, axis=0)
            yield SeenLine(line, left / width, top / height, right / width, bottom / height)


@cache
def _engine(model: str) -> Any:
    """RapidOCR, which reads signs by its own model, or by that of a file."""
    library = extras.load("rapidocr", extras.OCR)
    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    threads = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}
    if model and not Path(model).is_file():
        raise UnavailableError(
            f"the setting ocr_model: no file {model!r}; give a model of PP-OCR in ONNX, or leave it empty"
        )
    stated = {"Rec.model_path": model} if model else {}
    return library.RapidOCR(params={"Global.log_level": "error", **threads, **stated})
