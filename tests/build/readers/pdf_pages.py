"""PDFs that tests draw with reportlab, and the tables that are read from them."""

from __future__ import annotations

import ctypes
import io
from collections.abc import Callable

import pypdfium2
import pypdfium2.raw as pdfium
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate

from sage_ld.foundation import model

STYLES = getSampleStyleSheet()
LOREM = (
    "The harbour was built in stone by the town and stands on the eastern shore of the bay, where ships "
    "from the north have found shelter for as long as anybody has kept records of such things."
)


def drawn(draw: Callable[[Canvas], None]) -> bytes:
    """A PDF with what `draw` puts on its pages."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1)
    draw(canvas)
    canvas.save()
    return out.getvalue()


def flowing(*parts: object) -> bytes:
    """A PDF of paragraphs and tables, one below the other."""
    out = io.BytesIO()
    SimpleDocTemplate(out, invariant=1).build(list(parts))
    return out.getvalue()


def text(content: str, style: str = "BodyText") -> Paragraph:
    return Paragraph(content, STYLES[style])


def lines(canvas: Canvas, x: float, y: float, *texts: str, size: float = 10, font: str = "Helvetica") -> None:
    """Lines of text, the first at `y` points from the bottom."""
    canvas.setFont(font, size)
    for number, each in enumerate(texts):
        canvas.drawString(x, y - 1.3 * size * number, each)


def annotated(data: bytes, kind: int, box: tuple[float, float, float, float], contents: str = "") -> bytes:
    """A PDF with an annotation on its first page, at left, bottom, right and top."""
    document = pypdfium2.PdfDocument(data)
    page = document[0]
    left, bottom, right, top = box
    annotation = pdfium.FPDFPage_CreateAnnot(page, kind)
    pdfium.FPDFAnnot_SetRect(annotation, pdfium.FS_RECTF(left, top, right, bottom))
    quad = pdfium.FS_QUADPOINTSF(left, top, right, top, left, bottom, right, bottom)
    pdfium.FPDFAnnot_AppendAttachmentPoints(annotation, quad)
    written = ctypes.create_string_buffer(f"{contents}\0".encode("utf-16-le"))
    pdfium.FPDFAnnot_SetStringValue(
        annotation, b"Contents", ctypes.cast(written, ctypes.POINTER(pdfium.FPDF_WCHAR))
    )
    pdfium.FPDFPage_CloseAnnot(annotation)
    page.close()
    out = io.BytesIO()
    document.save(out)
    document.close()
    return out.getvalue()


def tables(document: model.Document) -> list[model.Table]:
    return [block for block in document.blocks if isinstance(block, model.Table)]
