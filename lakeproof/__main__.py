"""``python -m lakeproof``: the command line, where its script is not on the path."""

from lakeproof.supervisor import supervised

if __name__ == "__main__":
    supervised()  # not `main`: a file named with --from must not end the command here either
