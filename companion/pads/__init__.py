"""Printed score pads: sheet description → placed pads → SVG → PDF, and the map of their places.

May import the sheets and games, and nothing else of ours. pdfkit is loaded only when a PDF is made.
"""
