"""One repository with everything on: the parts of this project as one set of flows. See docs/designs/together.md."""
