"""The sweep: look once more at what a run has marked, and delete what is still as it was."""
