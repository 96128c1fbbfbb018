"""Reviews: photographed sheets that wait for a person. No picture is opened here."""
