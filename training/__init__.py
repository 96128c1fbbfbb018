"""Trains the networks that read photographed sheets. Not part of the app; needs PyTorch."""
