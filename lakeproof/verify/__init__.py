"""From a command to outcomes: finding scenarios, running tasks on them in processes, keeping what they find."""
