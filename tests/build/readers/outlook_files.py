"""Mails of Outlook for the tests: [MS-OXMSG] properties in a compound file ([MS-CFB]), as small as can be."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

_SECTOR, _SMALL, _CUTOFF = 512, 64, 4096
_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
TEXT, TEXT8, BYTES, NUMBER, TIME = 0x1F, 0x1E, 0x102, 0x3, 0x40


@dataclass
class Storage:
    """A folder of a compound file: bytes, or another folder, under each name."""

    entries: dict[str, bytes | Storage] = field(default_factory=dict)

    def stated(self, header: int, properties: dict[tuple[int, int], str | bytes | int]) -> Storage:
        """The storage with these properties, by number and type."""
        lines = b""
        for (number, kind), value in properties.items():
            data = value if isinstance(value, bytes) else b""
            if isinstance(value, str):
                data = value.encode("utf-16-le" if kind == TEXT else "cp1252")
            if isinstance(value, int):
                inline = struct.pack("<Q", value)
            else:
                inline = struct.pack("<II", len(data), 0)
                self.entries[f"__substg1.0_{number:04X}{kind:04X}"] = data
            lines += struct.pack("<HHI", kind, number, 6) + inline
        self.entries["__properties_version1.0"] = bytes(header) + lines
        return self


def mail(properties, recipients=(), attachments=(), header: int = 32) -> Storage:
    """The storage of a mail."""
    storage = Storage().stated(header, properties)
    for number, each in enumerate(recipients):
        storage.entries[f"__recip_version1.0_#{number:08X}"] = Storage().stated(8, each)
    for number, each in enumerate(attachments):
        inner = each.pop("mail", None)
        attached = Storage().stated(8, each)
        if inner is not None:
            attached.entries["__substg1.0_3701000D"] = inner
        storage.entries[f"__attach_version1.0_#{number:08X}"] = attached
    return storage


def compound_file(root: Storage) -> bytes:  # noqa: C901  # one format, written from top to bottom
    """The bytes of a compound file of version 3."""
    directory: list[list] = []  # name, kind, left, right, child, begin, size
    small, chains, sectors = b"", [], []  # small streams; for each sector the next one; the sectors

    def store(data: bytes) -> int:
        begin = len(sectors)
        parts = [data[n : n + _SECTOR].ljust(_SECTOR, b"\0") for n in range(0, len(data), _SECTOR)]
        sectors.extend(parts)
        chains.extend(range(begin + 1, begin + len(parts)))
        chains.append(_END)
        return begin

    small_chain: list[int] = []

    def add(name: str, entry: bytes | Storage) -> int:
        nonlocal small
        number = len(directory)
        row = [name, 2 if isinstance(entry, bytes) else (1 if number else 5), _FREE, _FREE, _FREE, 0, 0]
        directory.append(row)
        if isinstance(entry, Storage):
            last = None
            for inner, each in sorted(
                entry.entries.items(), key=lambda pair: (len(pair[0]), pair[0].upper())
            ):
                child = add(inner, each)
                if last is None:
                    row[4] = child
                else:
                    directory[last][3] = child
                last = child
        elif len(entry) >= _CUTOFF:
            row[5:] = [store(entry), len(entry)]
        else:
            count = -(-len(entry) // _SMALL)
            row[5:] = [len(small) // _SMALL if count else _END, len(entry)]
            begin = len(small_chain)
            small_chain.extend([*range(begin + 1, begin + count), _END][: count or 0])
            small += entry.ljust(count * _SMALL, b"\0")
        return number

    add("Root Entry", root)
    directory[0][5:] = [store(small) if small else _END, len(small)]
    table = b"".join(struct.pack("<I", each) for each in small_chain)
    small_begin = store(table.ljust(-(-len(table) // _SECTOR) * _SECTOR, b"\xff")) if table else _END
    rows = b""
    for name, kind, left, right, child, begin, size in directory:
        text = name.encode("utf-16-le") + b"\0\0"
        rows += text.ljust(64, b"\0") + struct.pack("<HBBIII", len(text), kind, 1, left, right, child)
        rows += bytes(16 + 4 + 16) + struct.pack("<IQ", begin, size)
    directory_begin = store(rows.ljust(-(-len(rows) // _SECTOR) * _SECTOR, b"\0"))
    tables = 1
    while tables * _SECTOR // 4 < len(sectors) + tables:
        tables += 1
    places = list(range(len(sectors), len(sectors) + tables))
    chain = b"".join(struct.pack("<I", each) for each in [*chains, *[_FAT] * tables])
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6)
    head += bytes(6) + struct.pack("<IIIII", 0, tables, directory_begin, 0, _CUTOFF)
    count = -(-len(table) // _SECTOR)
    head += struct.pack("<IIII", small_begin, count, _END, 0)
    head += b"".join(struct.pack("<I", each) for each in places).ljust(436, b"\xff")
    return head + b"".join(sectors) + chain.ljust(tables * _SECTOR, b"\xff")
