"""What people and programs read: stories, lanes, tables, verdicts."""
