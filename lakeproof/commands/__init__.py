"""The commands of the command line, a module each, and the group that loads them when they are called."""
