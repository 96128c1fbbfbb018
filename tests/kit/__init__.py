"""What the tests are driven with. Nothing here tests anything."""
