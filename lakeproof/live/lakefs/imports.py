"""Imports: each is one commit, which holds all of its source under its prefix, and nothing else new.

What a source holds is not known beforehand. But all imports of a source must agree on it.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from lakeproof.live.lakefs.calls import Call
from lakeproof.live.lakefs.contents import Content, FinalState
from lakeproof.live.lakefs.existence import Judgement
from lakeproof.live.lakefs.promises import IMPORTED_WHOLE
from lakeproof.model.invariants import Reached, Violation


def judge_imports(calls: Sequence[Call], final: FinalState) -> Iterator[Judgement]:
    """The imports of a repository, each by the commit that it made."""
    by_source: dict[str, list[Call]] = defaultdict(list)
    for call in calls:
        if call.name == "import" and call.ok and str(call.value) in final.commits:
            by_source[call.args[3]].append(call)
            yield from _nothing_else(call, final)
    for source, imports in sorted(by_source.items()):
        first = _under(imports[0], final)
        for call in imports[1:]:
            other = _under(call, final)
            path = next((path for path in sorted({*first, *other}) if first.get(path) != other.get(path)), None)
            if path is not None:
                evidence = (
                    f"{imports[0].shown} made {imports[0].value}, which has {first.get(path)!r} at {path}, and "
                    f"{call.shown} made {call.value}, which has {other.get(path)!r}; both imported all of {source}"
                )
                yield IMPORTED_WHOLE, Violation(IMPORTED_WHOLE, evidence)
                return
            if other:  # a source without any object, such as one that is misspelt, shows nothing
                yield IMPORTED_WHOLE, Reached(f"{call.shown} brought what {imports[0].shown} did")


def _under(call: Call, final: FinalState) -> Content:
    """What a commit holds under the prefix of its import, by the rest of the path."""
    prefix, content = call.args[2], final.commits[str(call.value)]
    return {path.removeprefix(prefix): value for path, value in content.items() if path.startswith(prefix)}


def _nothing_else(call: Call, final: FinalState) -> Iterator[Judgement]:
    """An import leaves alone what does not lie under its prefix."""
    line = list(final.logs.get(call.args[1], ()))
    # The log has the newest commit first, so the parent comes after it.
    at = line.index(str(call.value)) + 1 if str(call.value) in line else len(line)
    before = final.commits.get(line[at]) if at < len(line) else None
    if before is None:  # its parent was made by no client, and was not read
        return
    after, prefix = final.commits[str(call.value)], call.args[2]
    for path in sorted({*before, *after}):
        if not path.startswith(prefix) and before.get(path) != after.get(path):
            evidence = (
                f"{call.shown} made {call.value}, which has {after.get(path)!r} at {path}; "
                f"{line[at]}, before it, has {before.get(path)!r}"
            )
            yield IMPORTED_WHOLE, Violation(IMPORTED_WHOLE, evidence)
            return
