"""The invariants over data at rest: what each id asks is in `catalogue`, how it is answered in the modules beside."""
