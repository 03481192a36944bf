"""Walking through the states of a real program behind the gate. See `lakeproof.pages.gate.walk`."""
