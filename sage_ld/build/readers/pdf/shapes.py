"""The objects of a page in the order in which it draws them: texts, shapes and pictures, in forms, too."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import pypdfium2.raw as pdfium
from pypdfium2 import PdfPage

from sage_ld.build.readers.pdf.words import Box, PageView

_Matrix: TypeAlias = tuple[float, float, float, float, float, float]
"""The numbers of a matrix as PDF writes them (ISO 32000-2, §8.3.3)."""
_UNCHANGED: Final = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
Colour: TypeAlias = tuple[int, int, int, int]
"""Red, green, blue and alpha, each of 255."""
_RECTANGLE: Final = 6
"""Segments of the path of a rectangle, at most; of a curve there are more."""


class Shape(NamedTuple):
    """A line, an area or a picture of a page."""

    box: Box
    order: float
    raw: Any
    segments: int
    """The segments of its path; 0 for a picture and a shading."""

    @property
    def is_simple(self) -> bool:
        """Whether it is a line or may be a rectangle."""
        return 0 < self.segments <= _RECTANGLE

    @property
    def is_filled(self) -> bool:
        """Whether the path is filled, not only drawn along."""
        return self._modes()[0]

    def colour(self) -> Colour | None:
        """The one colour that a path has; None for a picture, a pattern, and where line and area differ."""
        fills, strokes = self._modes()
        parts = tuple(ctypes.c_uint() for _ in range(4))
        colours = {
            _colour(get, self.raw, parts)
            for is_used, get in (
                (fills, pdfium.FPDFPageObj_GetFillColor),
                (strokes, pdfium.FPDFPageObj_GetStrokeColor),
            )
            if is_used
        }
        return colours.pop() if len(colours) == 1 else None

    @property
    def is_picture(self) -> bool:
        """Whether it is a picture."""
        return not self.segments and pdfium.FPDFPageObj_GetType(self.raw) == pdfium.FPDF_PAGEOBJ_IMAGE

    def line_width(self) -> float:
        """The width of the line along a path, in points where it is in no form; 0 where there is none."""
        width = ctypes.c_float()
        has_line = self._modes()[1] and pdfium.FPDFPageObj_GetStrokeWidth(self.raw, width)
        a, b, c, d, _, _ = _matrix(self.raw)
        return width.value * math.sqrt(abs(a * d - b * c)) if has_line else 0.0

    def fills_its_box(self) -> bool:
        """Whether it is a filled rectangle that stands upright, whole and opaque."""
        if not self.is_simple or not self.is_filled or pdfium.FPDFPageObj_HasTransparency(self.raw):
            return False
        if pdfium.FPDFClipPath_CountPaths(pdfium.FPDFPageObj_GetClipPath(self.raw)) > 0:
            return False
        a, b, c, d, _, _ = _matrix(self.raw)
        if not (b == c == 0 or a == d == 0):
            return False
        points = {_point(pdfium.FPDFPath_GetPathSegment(self.raw, number)) for number in range(self.segments)}
        return len(points) == 4 and all(len(set(line)) == 2 for line in zip(*points, strict=True))

    def _modes(self) -> tuple[bool, bool]:
        """Whether a path is filled, and whether it has a line along it."""
        mode, stroke = ctypes.c_int(), ctypes.c_int()
        if not self.segments or not pdfium.FPDFPath_GetDrawMode(self.raw, mode, stroke):
            return False, False
        return bool(mode.value), bool(stroke.value)


class DrawnText(NamedTuple):
    """A text as a page draws it."""

    order: int
    raw: Any
    colour: Colour | None
    """None where it has a pattern, or shows through what is below it."""
    mode: int
    """Its rendering mode (ISO 32000-2, §9.3.6)."""
    clip: Box | None
    """The rectangle outside of which nothing of it is drawn; None for the whole page."""


class PageObjects:
    """The shapes and the texts of a page; the latter by the address of their object."""

    def __init__(self, page: PdfPage, view: PageView) -> None:
        self._view = view
        self.shapes: list[Shape] = []
        self.texts: dict[int, DrawnText] = {}
        self._order = 0
        self._sides = tuple(ctypes.c_float() for _ in range(4))
        self._parts = tuple(ctypes.c_uint() for _ in range(4))
        count = pdfium.FPDFPage_CountObjects(page)
        self._add((pdfium.FPDFPage_GetObject(page, number) for number in range(count)), _UNCHANGED)

    def _add(self, objects: Iterator[Any], matrix: _Matrix) -> None:
        for each in objects:
            self._order += 1
            kind = pdfium.FPDFPageObj_GetType(each)
            if kind == pdfium.FPDF_PAGEOBJ_TEXT:
                self.texts[address(each)] = self._look(each, matrix)
            elif kind == pdfium.FPDF_PAGEOBJ_FORM:
                count = pdfium.FPDFFormObj_CountObjects(each)
                inner = (pdfium.FPDFFormObj_GetObject(each, number) for number in range(count))
                self._add(inner, _product(_matrix(each), matrix))
            elif pdfium.FPDFPageObj_GetBounds(each, *self._sides):
                left, bottom, right, top = self._sides
                is_path = kind == pdfium.FPDF_PAGEOBJ_PATH
                segments = pdfium.FPDFPath_CountSegments(each) if is_path else 0
                box = self._box(left.value, bottom.value, right.value, top.value, matrix)
                self.shapes.append(Shape(box, self._order, each, segments))

    def _look(self, text: Any, matrix: _Matrix) -> DrawnText:
        is_clear = pdfium.FPDFPageObj_HasTransparency(text)
        colour = None if is_clear else _colour(pdfium.FPDFPageObj_GetFillColor, text, self._parts)
        mode = pdfium.FPDFTextObj_GetTextRenderMode(text)
        path = pdfium.FPDFPageObj_GetClipPath(text)
        count = pdfium.FPDFClipPath_CountPaths(path)
        clip = self._clip(path, count, matrix) if count > 0 else None
        return DrawnText(self._order, text, colour, mode, clip)

    def _clip(self, path: Any, count: int, matrix: _Matrix) -> Box | None:
        """The rectangle around what paths leave over that a text is cut to."""
        out: Box | None = None
        for number in range(count):
            segments = pdfium.FPDFClipPath_CountPathSegments(path, number)
            points = [
                _point(pdfium.FPDFClipPath_GetPathSegment(path, number, each))
                for each in range(max(0, segments))
            ]
            if not points:
                continue
            xs, ys = zip(*points, strict=True)
            box = self._box(min(xs), min(ys), max(xs), max(ys), matrix)
            out = box if out is None else _common(out, box)
        return out

    def _box(self, left: float, bottom: float, right: float, top: float, matrix: _Matrix) -> Box:
        if matrix is not _UNCHANGED:
            corners = [_mapped(x, y, matrix) for x in (left, right) for y in (bottom, top)]
            xs, ys = zip(*corners, strict=True)
            left, bottom, right, top = min(xs), min(ys), max(xs), max(ys)
        return self._view.box(left, bottom, right, top)


def address(page_object: Any) -> int:
    """The address of an object of a page, which is the same however PDFium is asked for it."""
    return ctypes.c_void_p.from_buffer(page_object).value or 0


def _colour(get: Callable[..., int], page_object: Any, parts: Sequence[ctypes.c_uint]) -> Colour | None:
    if not get(page_object, *parts):
        return None
    red, green, blue, alpha = parts
    return red.value, green.value, blue.value, alpha.value


def _point(segment: Any) -> tuple[float, float]:
    x, y = ctypes.c_float(), ctypes.c_float()
    pdfium.FPDFPathSegment_GetPoint(segment, x, y)
    return round(x.value, 2), round(y.value, 2)


def _matrix(page_object: Any) -> _Matrix:
    made = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(page_object, made):
        return _UNCHANGED
    return made.a, made.b, made.c, made.d, made.e, made.f


def _mapped(x: float, y: float, matrix: _Matrix) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _product(inner: _Matrix, outer: _Matrix) -> _Matrix:
    """The matrix that does what `inner` does and then what `outer` does."""
    a, b, c, d, e, f = inner
    p, q, r, s, _, _ = outer
    moved = _mapped(e, f, outer)
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, *moved


def _common(one: Box, other: Box) -> Box:
    return Box(
        max(one.left, other.left),
        max(one.top, other.top),
        min(one.right, other.right),
        min(one.bottom, other.bottom),
    )
