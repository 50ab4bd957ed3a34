"""Back ends: IR to the text of a target."""
