"""Makes the networks that read a photographed sheet. Not part of the app; needs PyTorch."""
