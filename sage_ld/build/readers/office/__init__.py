"""Office files and e-books: XML in a zip archive, read part by part within the limits.

The XML is read with lxml and not through python-docx, openpyxl or python-pptx: those leave out text that a
person sees (tracked insertions, content controls, footnotes), hold a whole sheet in memory to give its
links, and expand members before anyone has counted them.
"""
