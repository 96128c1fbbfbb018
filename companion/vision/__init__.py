"""Reads photographed score sheets: `reading` runs all steps, and `core` has what comes of them.

`pictures` opens a photo, `markers` locates its pads, `flat` rectifies each one, `unmarked` finds
and rectifies publishers' sheets, `ink` reads the fields, and `weighing` combines these readings
with the rules. `worker` does all that in processes of its own. Nothing here knows Flask, a table or
a single game.

>>> import cv2, numpy
>>> from companion.vision.reading import read
>>> paper = cv2.imencode(".png", numpy.full((300, 400), 255, numpy.uint8))[1].tobytes()
>>> photo = read(paper)
>>> photo.sheets, [trouble.code for trouble in photo.troubles]
((), ['no-sheet'])
"""
