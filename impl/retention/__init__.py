"""Retention of committed objects: runs that mark and sweep, and the pins by which users and runs agree."""
