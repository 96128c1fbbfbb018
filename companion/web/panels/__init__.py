"""Every game's panel, by the game's public name. A new panel is one more line here."""

from collections.abc import Mapping
from typing import Final

from companion.web.panels import encore, freaky, qwinto_cards, qwinto_dice
from companion.web.panels.core import FieldTap, Panel

__all__ = ["PANELS", "FieldTap", "Panel"]

PANELS: Final[Mapping[str, Panel]] = {
    "qwinto-dice": qwinto_dice.PANEL,
    "qwinto-cards": qwinto_cards.PANEL,
    "encore": encore.PANEL,
    "freaky": freaky.PANEL,
}
