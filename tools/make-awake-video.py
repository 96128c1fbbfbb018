"""Makes static/awake.webm and static/awake.mp4: four black seconds with a silent sound track.

A browser that plays a video keeps the screen on; `static/js/table/awake.js` uses that where there
is no Screen Wake Lock. Needs PyAV, which the app itself does not: pip install av
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Final

import av
import numpy as np

STATIC: Final = Path(__file__).resolve().parents[1] / "static"
SECONDS: Final = 4
RATE: Final = 2
"""Pictures a second."""
SIDE: Final = 16
"""Width and height in pixels; the page stretches the video."""
SAMPLES: Final = 48_000
CHUNK: Final = 960
"""Samples in a frame of sound: 20 ms, which every codec takes."""
KINDS: Final = {
    "awake.webm": ("libvpx", "libopus", {"crf": "63", "b": "1000"}),
    "awake.mp4": ("libx264", "aac", {"profile": "baseline", "crf": "51"}),
}
"""File → its codecs, and options of the picture's."""


def make(name: str) -> None:
    video_codec, audio_codec, options = KINDS[name]
    with av.open(str(STATIC / name), "w") as out:
        video = out.add_stream(video_codec, rate=RATE, options=options)
        video.width = video.height = SIDE
        video.pix_fmt = "yuv420p"
        audio = out.add_stream(audio_codec, rate=SAMPLES, layout="mono")
        audio.bit_rate = 6000
        black = np.zeros((SIDE, SIDE, 3), np.uint8)
        for number in range(SECONDS * RATE):
            picture = av.VideoFrame.from_ndarray(black, format="rgb24")
            picture.pts, picture.time_base = number, Fraction(1, RATE)
            out.mux(video.encode(picture))
        out.mux(video.encode())
        size = audio.codec_context.frame_size
        codec_format = av.AudioResampler(audio.format, "mono", SAMPLES, size)
        silence = np.zeros((1, CHUNK), np.float32)
        for start in range(0, SECONDS * SAMPLES, CHUNK):
            sound = av.AudioFrame.from_ndarray(silence, format="fltp", layout="mono")
            sound.sample_rate, sound.pts, sound.time_base = SAMPLES, start, Fraction(1, SAMPLES)
            for frame in codec_format.resample(sound):
                out.mux(audio.encode(frame))
        out.mux(audio.encode())


if __name__ == "__main__":
    for made in KINDS:
        make(made)
        print(made, (STATIC / made).stat().st_size, "bytes")
