"""People with pens: their digits, how they hold a pen, and what ink leaves on a sheet.

Nothing here knows a field or a class.
"""
