"""Photos that wait for a reader, and reviews that wait for a person. No picture is opened here."""
