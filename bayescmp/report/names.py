"""Names of algorithms and metrics as parts of file names."""

from __future__ import annotations

import hashlib
import re
import unicodedata

__all__ = ["file_name"]

#: Characters kept of each part.
MOST = 40
#: Names that Windows keeps for devices.
_DEVICES = re.compile(r"^(con|prn|aux|nul|com\d|lpt\d)$")


def file_name(*parts: str, ending: str) -> str:
    """A file name that every system takes, different for different names.

    Parameters
    ----------
    *parts : str
        Any text: path separators, markup, emoji, any length.
    ending : str
        Without the dot.

    Returns
    -------
    str
        Lower-case letters, digits and hyphens. Where a part had to be changed by more than its
        case, a few digits of its hash keep it apart from others that would look the same.
    """
    return f"{'-'.join(_plain(part) for part in parts)}.{ending}"


def _plain(part: str) -> str:
    ascii_only = unicodedata.normalize("NFKD", part).encode("ascii", "ignore").decode()
    plain = re.sub(r"[^a-z0-9]+", "-", ascii_only.lower()).strip("-")[:MOST].strip("-")
    if plain and plain == part and not _DEVICES.match(plain):
        return plain
    digest = hashlib.sha256(part.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{plain}-{digest}" if plain else digest
