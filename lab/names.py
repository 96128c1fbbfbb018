"""Names that people give themselves: plain ones and hostile ones."""

from __future__ import annotations

NAMES = ("Tim", "Sarah", "Linus")
COLORS = ("red", "blue", "green", "yellow", "purple", "orange")

LONG_NAMES = (
    "Maximiliane Wolkensteins",
    "Bartholomäus von Öttings",
    "WWWWWWWWWWWWWWWWWWWWWWWW",
    "Ana Sofía de la Vega Rui",
    "Åse Þorgerður Øvergård-Q",
    "<b>Tom & Jerry</b> 1234!",
)
"""Six names as long as a name may be; one has no place to break, one looks like markup."""

HOSTILE_NAMES = (
    "<script>x()</script>",
    '"><img src=x onerror=1>',
    "' onclick='x",
    "</bdi></svg></template>",
    "&lt;b&gt; &amp; &#60;",
    "%s %(x)s %d % %% %",
    "%(player)s %(name)s",
    "{{7*7}}{% if 1 %}{count}",
    "\\u003cb\\u003e\\n\\",
    "null",
    "a=1 b=2,c",
    "\u05e2\u05d1\u05e8\u05d9\u05ea abc",
    "\u0641\u0627\u0631\u0633\u06cc\u200c\u0647\u0627",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f",
    "W" * 24,
    "Zoe\u0308",
)
"""Names that a table accepts, and that a careless page would not treat as text."""
