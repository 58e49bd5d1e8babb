"""Colours of channels in the pages' style sheet, from the table of channels."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from generators.parts import ROOT, replaced
from sage_ld.foundation.channels import CHANNELS

SHEET: Final = ROOT / "sage_ld" / "service" / "views" / "static" / "sage.css"


def files() -> dict[Path, str]:
    """The text of the style sheet."""
    return {
        SHEET: replaced(
            SHEET,
            {
                "light channels": "".join(
                    f"  --{each.name}-edge: {each.colours.light};\n" for each in CHANNELS.values()
                ),
                "dark channels": "".join(
                    f"    --{each.name}-edge: {each.colours.dark};\n" for each in CHANNELS.values()
                ),
                "classes of channels": "".join(
                    f".of-{name} {{ --channel: var(--{name}-edge); }}\n" for name in CHANNELS
                ),
            },
        )
    }
