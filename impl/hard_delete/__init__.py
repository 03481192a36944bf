"""The proposals of the hard-delete document, each as a module of flows: as the text says it, holes included."""
