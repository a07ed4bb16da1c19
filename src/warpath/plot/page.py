"""What pictures share: colours, an empty figure, and the file."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from warpath.errors import InputError, require

if TYPE_CHECKING:
    from pathlib import Path

# Okabe and Ito's palette: told apart with any kind of colour vision, and in grey.
BLUE, VERMILION, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
SKY, PURPLE, YELLOW, INK = "#56B4E9", "#CC79A7", "#F0E442", "#222222"

_SUFFIXES = (".png", ".svg", ".pdf", ".jpg", ".jpeg", ".webp", ".tif", ".tiff")


def checked_path(path: Path) -> Path:
    """Refuse a file whose suffix is no picture's."""
    if path.suffix.lower() not in _SUFFIXES:
        found = path.suffix or "no suffix"
        msg = f"{path}: {found} is no picture: use one of {', '.join(_SUFFIXES)}."
        raise InputError(msg)
    return path


def new_figure(size: tuple[float, float], dpi: int, what: str, **options: Any) -> Any:
    """Return an empty figure that no window shows; `what` says what needs matplotlib."""
    require("matplotlib", what=what, extra="plot")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, dpi=dpi, **options)
    FigureCanvasAgg(figure)
    return figure


def save(figure: Any, path: Path, dpi: int) -> None:
    """Write a figure; it appears complete or not at all."""
    from warpath.io.save import atomic

    picture = BytesIO()  # the file of `atomic` cannot be sought in
    figure.savefig(picture, format=path.suffix.lower()[1:], dpi=dpi, facecolor="white")
    with atomic(path) as file:
        file.write(picture.getbuffer())
