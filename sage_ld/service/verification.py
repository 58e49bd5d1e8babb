"""Verification of the served revision against its digests, and what is known of its damage.

A web process verifies the indexes of each revision once, in the background: opening a revision reads no
more than the names of the chunks. Files that were verified in an earlier revision are not read again. The
files of the store are left out, since RocksDB checks each block that it reads; `sage-ld doctor` reads all.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Mapping

from sage_ld.foundation.errors import InputError
from sage_ld.graph.store.digests import Verified, damaged_files, read_digests
from sage_ld.graph.store.directory import INDEX_PARTS, READ_INDEXES, READ_OPTIONAL_PARTS, Directory
from sage_ld.graph.store.pins import pin
from sage_ld.service.background import PersistentLoop
from sage_ld.service.http import metrics

_log = logging.getLogger("sage_ld.service")


class Verification:
    """The damage that one web process knows of, in the newest revision."""

    def __init__(self, directory: Directory, rebuild: Callable[[Collection[str]], None]) -> None:
        self._directory = directory
        self._rebuild = rebuild
        """Has indexes, by their names, rebuilt that the process has opened as they are."""
        self._guard = threading.Lock()
        self._number = self._verified_number = -1
        self._damage: dict[str, str] = {}
        self._distrusted: frozenset[str] = frozenset()
        self._verified: Verified = {}
        self._loop = PersistentLoop("verifying", self._turn)
        self._closing = self._loop.closed

    def start(self) -> None:
        """Begins to verify, in a thread."""
        self._loop.start()

    def begin(self, number: int) -> None:
        """Verifies a revision in the background; one before it that is waiting is left out."""
        with self._guard:
            if number <= 0 or number == self._number or self._closing.is_set():
                return
            self._forget(number)
        self._loop.wake()

    def note(self, number: int, damage: Mapping[str, str]) -> None:
        """Takes down why parts of a revision were not served as they are, by the name of the part."""
        with self._guard:
            if number == self._number:
                self._damage |= damage
                for part in damage:
                    metrics.DAMAGED.labels(part).set(1)

    def damage(self) -> dict[str, str]:
        """Part of the newest revision -> what is wrong with it; empty where nothing is known."""
        with self._guard:
            return dict(self._damage)

    def distrusted(self, number: int) -> Collection[str]:
        """The indexes of a revision that were found to be damaged."""
        with self._guard:
            return self._distrusted if number == self._number else ()

    def close(self) -> None:
        """Ends the verification under way."""
        self._loop.close()

    # --- inside ---

    def _forget(self, number: int) -> None:
        for part in self._damage:
            metrics.DAMAGED.labels(part).set(0)
        self._number, self._damage, self._distrusted = number, {}, frozenset()

    def _turn(self) -> None:
        """Verifies the newest revision, if that has not been done."""
        with self._guard:
            number = self._number
        if number != self._verified_number:
            self._verify(number)
            self._verified_number = number

    def _verify(self, number: int) -> None:
        revision = self._directory.revision(number)
        if (handle := pin(revision)) is None:
            return
        with handle:
            damage = self._found(number)
            if not damage or self._closing.is_set():
                return
            with self._guard:
                if number == self._number:
                    self._distrusted = frozenset(damage).intersection((*READ_INDEXES, *READ_OPTIONAL_PARTS))
            self.note(number, damage)
            for part, reason in damage.items():
                _log.error("revision %d: %s: %s; see sage-ld doctor", number, part, reason)
            if distrusted := self.distrusted(number):
                self._rebuild(distrusted)

    def _found(self, number: int) -> dict[str, str]:
        """The damage to the indexes and small files of a revision, by the name of the part."""
        revision = self._directory.revision(number)
        try:
            digests = read_digests(revision) or {}
        except InputError as error:
            return {"digests.json": str(error)}
        damage: dict[str, str] = {}
        for part in INDEX_PARTS:
            if self._closing.is_set():
                break
            wanted = {name: digest for name, digest in digests.items() if name.startswith(f"{part}/")}
            for each in damaged_files(revision, wanted, self._verified):
                damage.setdefault(part, str(each))
        for gone in self._verified.keys() - digests.keys():
            del self._verified[gone]
        return damage
