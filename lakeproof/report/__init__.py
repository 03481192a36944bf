"""What people read: stories, lanes, tables and verdicts."""
