"""Where the work is done: sessions and their engines, folders and files, what is staged, and runs."""
