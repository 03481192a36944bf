"""Datasets made at will: sound ones of any size and shape, and ones with violations planted in them."""
