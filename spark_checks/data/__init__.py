"""What a dataset is: its tables, where they come from, and what the records of ``kv/`` decode into."""
