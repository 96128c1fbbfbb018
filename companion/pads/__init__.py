"""Printed score pads: sheet description → placed pads → SVG → PDF, and the map of their places.

>>> from companion.games.catalog import SHEETS
>>> from companion.pads import geometry, order, padmap
>>> page = padmap.document(geometry.pages_of_order(order.checked_order(next(iter(SHEETS)))))
>>> page["page_mm"], sorted(page["pads"][0])
([210.0, 297.0], ['blanks', 'box_mm', 'fields', 'markers', 'page'])
"""
