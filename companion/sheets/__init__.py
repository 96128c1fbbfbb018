"""Every paper sheet: its fields and boxes in millimetres, its faults and its score.

May import the games; knows nothing of pages, pictures or databases.
"""
