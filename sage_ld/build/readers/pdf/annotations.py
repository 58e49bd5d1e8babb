"""The annotations of a page: fields of forms, comments, links, and strokes through text."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import pypdfium2.raw as pdfium
from pypdfium2 import PdfDocument, PdfPage

from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.pdf.words import Box, PageView
from sage_ld.build.readers.shown import ATTACHMENT, DRAWING, OBJECT, RECORDING, TICKED, UNTICKED

_MOST: Final = 2_000
"""Annotations of a page that are looked at."""
_BOXES: Final = (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON)
_UNREAD: Final = {
    pdfium.FPDF_ANNOT_FILEATTACHMENT: ATTACHMENT,
    pdfium.FPDF_ANNOT_SOUND: RECORDING,
    pdfium.FPDF_ANNOT_MOVIE: RECORDING,
    pdfium.FPDF_ANNOT_RICHMEDIA: RECORDING,
    pdfium.FPDF_ANNOT_SCREEN: OBJECT,
    pdfium.FPDF_ANNOT_THREED: OBJECT,
    pdfium.FPDF_ANNOT_STAMP: DRAWING,
    pdfium.FPDF_ANNOT_INK: DRAWING,
    pdfium.FPDF_ANNOT_LINE: DRAWING,
    pdfium.FPDF_ANNOT_SQUARE: DRAWING,
    pdfium.FPDF_ANNOT_CIRCLE: DRAWING,
    pdfium.FPDF_ANNOT_POLYGON: DRAWING,
    pdfium.FPDF_ANNOT_POLYLINE: DRAWING,
}
"""The kinds of annotations that say something by other means than text, which count where they have none."""
_COVERING: Final = (
    pdfium.FPDF_ANNOT_SQUARE,
    pdfium.FPDF_ANNOT_CIRCLE,
    pdfium.FPDF_ANNOT_POLYGON,
    pdfium.FPDF_ANNOT_STAMP,
    pdfium.FPDF_ANNOT_FREETEXT,
    pdfium.FPDF_ANNOT_REDACT,
)
"""The kinds of annotations that may hide the text below them."""
_FILLED: Final = (
    pdfium.FPDF_FORMFIELD_TEXTFIELD,
    pdfium.FPDF_FORMFIELD_COMBOBOX,
    pdfium.FPDF_FORMFIELD_LISTBOX,
)


@dataclass(frozen=True, slots=True)
class PlacedText:
    """Something with a text at a place of the page: the state of a field, the target of a link."""

    box: Box
    text: str
    label: str = ""
    """Of a field: its name for people who cannot see the page."""


@dataclass(slots=True)
class Annotations:
    """The annotations of a page (ISO 32000-2, §12.5), by what they are to its text."""

    fields: list[PlacedText] = field(default_factory=list)
    links: list[PlacedText] = field(default_factory=list)
    comments: list[PlacedText] = field(default_factory=list)
    typed: list[PlacedText] = field(default_factory=list)
    """Text that was typed onto the page."""
    strokes: list[Box] = field(default_factory=list)
    """Places of text that is struck out."""
    covers: list[Box] = field(default_factory=list)
    """Places of what is drawn over the page: stamps, areas, text with a ground of its own."""
    unread: list[str] = field(default_factory=list)
    """Nouns of those that have no text, each as often as there are such."""


def page_annotations(pdf: PdfDocument, page: PdfPage, view: PageView) -> Annotations:
    """The annotations of a page."""
    out = Annotations()
    for number in range(min(pdfium.FPDFPage_GetAnnotCount(page), _MOST)):
        annotation = pdfium.FPDFPage_GetAnnot(page, number)
        if not annotation:
            continue
        try:
            _add(out, pdf, annotation, view)
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)
    return out


def _add(out: Annotations, pdf: PdfDocument, annotation: Any, view: PageView) -> None:
    kind = pdfium.FPDFAnnot_GetSubtype(annotation)
    if pdfium.FPDFAnnot_GetFlags(annotation) & (
        pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
    ):
        return
    box = _box(annotation, view)
    if kind == pdfium.FPDF_ANNOT_WIDGET and pdf.formenv is not None:
        if state := _state(pdf.formenv.raw, annotation):
            name = _string(pdfium.FPDFAnnot_GetFormFieldAlternateName, pdf.formenv.raw, annotation)
            out.fields.append(PlacedText(box, state, name))
    elif kind == pdfium.FPDF_ANNOT_LINK:
        if target := _target(pdf, annotation):
            out.links.append(PlacedText(box, target))
    else:
        _add_text(out, kind, annotation, box)
    if kind in _COVERING:
        out.covers.append(box)
    if kind == pdfium.FPDF_ANNOT_STRIKEOUT:
        out.strokes += _places(annotation, view)


def _add_text(out: Annotations, kind: int, annotation: Any, box: Box) -> None:
    """Adds the text of an annotation, or counts one that has none and says something by other means."""
    if text := one_line(_string(pdfium.FPDFAnnot_GetStringValue, annotation, b"Contents")):
        (out.typed if kind == pdfium.FPDF_ANNOT_FREETEXT else out.comments).append(PlacedText(box, text))
    elif kind in _UNREAD:
        out.unread.append(_UNREAD[kind])


def _state(form: Any, annotation: Any) -> str:
    """The state of a field of a form: a box for what is ticked or not, the text of what is filled in."""
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in _BOXES:
        return TICKED if pdfium.FPDFAnnot_IsChecked(form, annotation) else UNTICKED
    if kind in _FILLED:
        return one_line(_string(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation))
    return ""


def _target(pdf: PdfDocument, annotation: Any) -> str:
    """The address that a link leads to, or the file; nothing for a place in the same document."""
    link = pdfium.FPDFAnnot_GetLink(annotation)
    action = pdfium.FPDFLink_GetAction(link) if link else None
    if not action:
        return ""
    kind = pdfium.FPDFAction_GetType(action)
    if kind == pdfium.PDFACTION_URI:
        return _bytes(pdfium.FPDFAction_GetURIPath, pdf, action).decode("utf-8", "replace")
    if kind == pdfium.PDFACTION_REMOTEGOTO:
        return _bytes(pdfium.FPDFAction_GetFilePath, action).decode("utf-8", "replace")
    return ""


def _box(annotation: Any, view: PageView) -> Box:
    rectangle = pdfium.FS_RECTF()
    pdfium.FPDFAnnot_GetRect(annotation, rectangle)
    return view.box(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)


def _places(annotation: Any, view: PageView) -> Iterator[Box]:
    """The places of the text that an annotation is about, line by line."""
    points = pdfium.FS_QUADPOINTSF()
    for number in range(min(pdfium.FPDFAnnot_CountAttachmentPoints(annotation), _MOST)):
        if pdfium.FPDFAnnot_GetAttachmentPoints(annotation, number, points):
            xs, ys = (
                (points.x1, points.x2, points.x3, points.x4),
                (points.y1, points.y2, points.y3, points.y4),
            )
            yield view.box(min(xs), min(ys), max(xs), max(ys))


def _string(function: Callable[..., int], *arguments: Any) -> str:
    """A string that PDFium writes in UTF-16, with a NUL at its end."""
    size = function(*arguments, None, 0)
    buffer = ctypes.create_string_buffer(size + 2)
    function(*arguments, ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR)), size)
    return buffer.raw[:size].decode("utf-16-le", "replace").partition("\0")[0]


def _bytes(function: Callable[..., int], *arguments: Any) -> bytes:
    """A string that PDFium writes in bytes, with a NUL at its end."""
    size = function(*arguments, None, 0)
    buffer = ctypes.create_string_buffer(size + 1)
    function(*arguments, buffer, size)
    return buffer.raw[:size].rstrip(b"\0")


def xfa_fields(pdf: PdfDocument) -> bytes:
    """The data of an XFA form, as XML; nothing where there is none."""
    for number in range(max(0, pdfium.FPDF_GetXFAPacketCount(pdf))):
        name = _bytes(lambda *rest, at=number: pdfium.FPDF_GetXFAPacketName(pdf, at, *rest))
        if name != b"datasets":
            continue
        size = ctypes.c_ulong()
        pdfium.FPDF_GetXFAPacketContent(pdf, number, None, 0, size)
        buffer = ctypes.create_string_buffer(size.value)
        if pdfium.FPDF_GetXFAPacketContent(pdf, number, buffer, size.value, size):
            return buffer.raw[: size.value]
    return b""
