"""From light to JPEG: lens blur, a Bayer sensor, its noise, and a phone's image processing."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Picture = npt.NDArray[np.uint8]

BLACK: Final = 1024  # the sensor's value without light, of 65535; noise can go below it
WHITE: Final = 60000  # the sensor's value for white


@dataclass(frozen=True)
class Exposure:
    """How one photo is taken and developed."""

    defocus: float  # radius of the circle of confusion in pixels
    shake: float  # length of the motion blur in pixels
    electrons: float  # electrons of a white pixel; few mean much noise
    read_noise: float  # standard deviation of the read noise in electrons
    gain: float  # the factor on light that makes white 1
    balance: tuple[float, float, float]  # the white balance: divisors of blue, green and red
    contrast: float  # the strength of the S-shaped tone curve, 0 to 1
    denoise: float  # the strength of noise reduction, 0 to 1
    sharpen: float  # the strength of sharpening
    vignette: float  # the share of light that is lost in the corners
    quality: int  # quality of the JPEG, 0 to 100
    saturation: float = 1.0  # factor on the colours' distance from gray


def blurred(light: Floats, exposure: Exposure, rng: np.random.Generator) -> Floats:
    """The picture behind the lens, with diffraction, defocus and motion blur along a curve."""
    kernel = _disc(max(exposure.defocus, 0.45))
    if exposure.shake > 0.6:
        shake = _path(exposure.shake, rng)
        room = kernel.shape[0] // 2 + shake.shape[0] // 2
        size = 2 * room + 1
        canvas = np.zeros((size, size), np.float32)
        inset = (size - shake.shape[0]) // 2
        canvas[inset : inset + shake.shape[0], inset : inset + shake.shape[0]] = shake
        both = cv2.filter2D(canvas, -1, kernel, borderType=cv2.BORDER_CONSTANT)
        kernel = np.asarray(both, np.float32)
    kernel /= kernel.sum()
    return np.asarray(cv2.filter2D(light, -1, kernel, borderType=cv2.BORDER_REPLICATE), np.float32)


def _disc(radius: float) -> Floats:
    """A kernel: a disc with a soft edge, for defocus with some diffraction."""
    room = int(np.ceil(radius + 0.8))
    at = np.arange(-room, room + 1, dtype=np.float32)
    far = np.hypot(at[None, :], at[:, None])
    return np.asarray(1 / (1 + np.exp((far - radius) * 5.0)), np.float32)


def _path(length: float, rng: np.random.Generator) -> Floats:
    """A kernel: the curved path of a shaking hand."""
    t = np.linspace(-0.5, 0.5, 40)
    angle = rng.uniform(0, 2 * np.pi) + rng.normal(0, 1.0) * t
    x, y = np.cumsum(np.cos(angle)), np.cumsum(np.sin(angle))
    x, y = (x - x.mean()) * length / 40, (y - y.mean()) * length / 40
    room = int(np.ceil(max(np.abs(x).max(), np.abs(y).max()))) + 1
    drawn = np.zeros((2 * room + 1, 2 * room + 1), np.float32)
    for a, b in zip(x + room, y + room, strict=True):
        i, j = int(a), int(b)
        p, q = a - i, b - j
        drawn[j, i] += (1 - p) * (1 - q)
        drawn[j, i + 1] += p * (1 - q)
        drawn[j + 1, i] += (1 - p) * q
        drawn[j + 1, i + 1] += p * q
    return drawn


def developed(light: Floats, exposure: Exposure, rng: np.random.Generator) -> Picture:
    """The photo, uint8 BGR, of a picture of light (rows, columns, 3), linear BGR.

    Rows and columns must be even, because of the Bayer pattern.
    """
    rows, columns = light.shape[:2]
    raw = np.empty((rows, columns), np.float32)
    raw[0::2, 0::2] = light[0::2, 0::2, 2]
    raw[0::2, 1::2] = light[0::2, 1::2, 1]
    raw[1::2, 0::2] = light[1::2, 0::2, 1]
    raw[1::2, 1::2] = light[1::2, 1::2, 0]
    y = np.linspace(-1, 1, rows, dtype=np.float32)[:, None] ** 2
    x = np.linspace(-1, 1, columns, dtype=np.float32)[None, :] ** 2
    raw *= exposure.gain * (1 - exposure.vignette * (x * 0.64 + y * 0.36))
    noise = rng.standard_normal(raw.shape, dtype=np.float32)
    steady = (exposure.read_noise / exposure.electrons) ** 2
    noise *= np.sqrt(np.maximum(raw, 0) / np.float32(exposure.electrons) + np.float32(steady))
    raw += noise
    counts = np.clip(raw * (WHITE - BLACK) + BLACK, 0, 65535).astype(np.uint16)
    linear = cv2.cvtColor(counts, cv2.COLOR_BayerRGGB2BGR_EA)
    photo = np.empty((rows, columns, 3), np.uint8)
    for channel in range(3):
        curve = _curve(exposure.balance[channel], exposure.contrast)
        photo[:, :, channel] = curve[linear[:, :, channel]]
    return _polished(photo, exposure)


def _curve(balance: float, contrast: float) -> npt.NDArray[np.uint8]:
    """Lookup table from the sensor's values to the photo's."""
    level = np.clip((np.arange(65536) - BLACK) / (WHITE - BLACK) / balance, 0, None)
    # Highlights roll off softly instead of clipping.
    level = np.where(level < 0.8, level, 0.8 + 0.2 * (1 - np.exp(-(level - 0.8) / 0.2)))
    gamma = np.where(level <= 0.0031308, level * 12.92, 1.055 * level ** (1 / 2.4) - 0.055)
    curve = gamma + contrast * 0.25 * np.sin(2 * np.pi * (gamma - 0.5)) / np.pi
    return np.asarray(np.clip(curve * 255 + 0.5, 0, 255), np.uint8)


def _polished(photo: Picture, exposure: Exposure) -> Picture:
    """Noise reduction and sharpening, as phones do.

    Small differences are reduced (coring), large ones amplified.
    """
    parts = cv2.cvtColor(photo, cv2.COLOR_BGR2YCrCb)
    luma = np.ascontiguousarray(parts[:, :, 0])
    if exposure.saturation != 1:
        vivid = (parts[:, :, 1:].astype(np.float32) - 128) * exposure.saturation + 128
        parts[:, :, 1:] = np.clip(vivid + 0.5, 0, 255).astype(np.uint8)
    smooth = cv2.GaussianBlur(luma, (5, 5), 1.1)
    detail = cv2.subtract(luma, smooth, dtype=cv2.CV_16S)
    small = 2.0 + 9.0 * exposure.denoise
    at = np.arange(-255, 256, dtype=np.float32)
    kept = 1 - exposure.denoise * np.exp(-((at / small) ** 2))
    boosted = at * (kept + exposure.sharpen * (1 - np.exp(-((at / small) ** 2))))
    lookup = np.round(boosted).astype(np.int16)
    luma = cv2.add(smooth, lookup[detail + 255], dtype=cv2.CV_8U)
    half = cv2.resize(parts[:, :, 1:], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    half = cv2.GaussianBlur(half, (0, 0), 0.6 + 1.5 * exposure.denoise)
    chroma = cv2.resize(half, (photo.shape[1], photo.shape[0]), interpolation=cv2.INTER_LINEAR)
    return np.asarray(
        cv2.cvtColor(cv2.merge([luma, *cv2.split(chroma)]), cv2.COLOR_YCrCb2BGR), np.uint8
    )


def jpeg(photo: Picture, quality: int, orientation: int = 1) -> bytes:
    """The photo as a JPEG file.

    Args:
        photo: upright.
        orientation: EXIF orientation 1, 3, 6 or 8; the pixels are stored rotated accordingly.
    """
    turns = {3: cv2.ROTATE_180, 6: cv2.ROTATE_90_COUNTERCLOCKWISE, 8: cv2.ROTATE_90_CLOCKWISE}
    if orientation in turns:
        photo = np.asarray(cv2.rotate(photo, turns[orientation]), np.uint8)
    _, coded = cv2.imencode(".jpg", photo, [cv2.IMWRITE_JPEG_QUALITY, quality])
    data = coded.tobytes()
    if orientation == 1:
        return data
    tiff = b"II*\0" + struct.pack("<IHHHIHHI", 8, 1, 0x0112, 3, 1, orientation, 0, 0)
    body = b"Exif\0\0" + tiff
    return data[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + data[2:]
