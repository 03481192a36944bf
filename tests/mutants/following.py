"""Faults in how flows are followed: merging of pasts, the calls of a client, crashes, frames, what an effect may be."""

from typing import Final

from tests.mutants.planted import Mutant

_BY_HAND: Final = "tests/differential/test_differential.py::test_searches_agree_on_sets_made_by_hand"
_AGREE: Final = "tests/explore/test_agreement.py::test_all_searches_agree_on_flows_made_by_hand"
_TRIES: Final = "tests/explore/test_behaviour.py"
_WORLD: Final = "tests/explore/test_world.py"
_FENCES: Final = "tests/explore/test_asking.py"
_FRAMES: Final = "tests/impl/test_frames.py"
_BEHAVIOUR: Final = "lakeproof/explore/behaviour.py"
_EXECUTION: Final = "lakeproof/explore/execution.py"

MUTANTS: Final = (
    Mutant(
        "members of a merged node are not held against each other",
        _BEHAVIOUR,
        "            if self._key(child) != first:",
        "            if not child:",
        f"{_AGREE}[what is remembered sits in an iterator]",
    ),
    Mutant(
        "a new member is not played the replies that its node has seen",
        _BEHAVIOUR,
        "for reply, child_id in list(node.children.items()):",
        "for reply, child_id in list(node.children.items())[1:]:",
        f"{_TRIES}::TestMerging::test_each_disagreement_teaches_one_level_and_then_no_more",
    ),
    Mutant(
        "pasts with the same effect ahead are merged, whatever is visible",
        _BEHAVIOUR,
        'key: tuple[Hashable, ...] = ("done", self._grade(raw), raw.visible)',
        'key: tuple[Hashable, ...] = ("done", self._grade(raw))',
        f"{_TRIES}::TestMerging::test_what_is_visible_is_never_merged",
    ),
    Mutant(
        "clients that crash with different results are one",
        _BEHAVIOUR,
        'key = ("crashed", self._grade(raw), raw.crashed_visible) if self._merge',
        'key = ("crashed", self._grade(raw)) if self._merge',
        f"{_TRIES}::TestMerging::test_what_was_returned_before_a_crash_is_never_merged",
    ),
    Mutant(
        "a re-run that asks for another effect of the same kind passes",
        _BEHAVIOUR,
        "        if found != expected:",
        "        if type(found) is not type(expected):",
        f"{_TRIES}::TestDeterminism::test_a_flow_that_counts_its_runs_is_named_with_the_effect_at_which_it_diverged",
    ),
    Mutant(
        "a re-run that ends otherwise passes",
        _BEHAVIOUR,
        "if seen_of(run.calls()) != raw.visible:",
        "if len(run.calls()) != len(raw.calls):",
        f"{_TRIES}::TestDeterminism::test_a_flow_that_seldom_ends_otherwise_is_found",
    ),
    Mutant(
        "results of a re-run are compared by ==",
        _BEHAVIOUR,
        "if seen_of(run.calls()) != raw.visible:",
        "if run.calls() != raw.calls:",
        f"{_TRIES}::TestDeterminism::test_a_flow_that_returns_what_only_compares_equal_is_found",
    ),
    Mutant(
        "clients that break are not kept",
        _BEHAVIOUR,
        "        if node.broken:\n            self.broken.append",
        "        if node.broken and crashed:\n            self.broken.append",
        f"{_TRIES}::TestErrors::test_an_error_that_is_no_answer_is_named_with_its_call",
    ),
    Mutant(
        "what is visible is compared by ==",
        "lakeproof/explore/trie.py",
        "self.visible = seen_of(self.calls)",
        "self.visible = self.calls",
        f"{_BY_HAND}[True or 1 is returned]",
    ),
    Mutant(
        "a client that crashed is done",
        "lakeproof/explore/trie.py",
        "self.crashed_calls = run.calls(Status.CRASHED)",
        "self.crashed_calls = run.calls(Status.OK)",
        f"{_BY_HAND}[a crash in the middle of a finally]",
    ),
    Mutant(
        "what is no effect ends the client",
        _EXECUTION,
        "            if type(op) not in EFFECTS:\n                assert",
        "            if op is None:\n                return self._finish(Outcome(Status.OK))\n"
        "            if type(op) not in EFFECTS:\n                assert",
        f"{_TRIES}::TestErrors::test_a_flow_that_awaits_what_is_no_effect_is_named_and_not_ended",
    ),
    Mutant(
        "a broken client goes on with its next call",
        _EXECUTION,
        "        if self.broken:\n            self.op",
        "        if self.broken and not self.program.calls:\n            self.op",
        f"{_BY_HAND}[a flow raises after an effect, or before any]",
    ),
    Mutant(
        "whatever is raised is an answer",
        _EXECUTION,
        "if isinstance(error, Exception) and isinstance(definite, bool):",
        "if isinstance(error, Exception):",
        f"{_TRIES}::TestErrors::test_an_error_that_is_no_answer_is_named_with_its_call",
    ),
    Mutant(
        "an exit of a flow's is nobody's counterexample",
        _EXECUTION,
        "except BaseException as error:  # a flow may raise anything: what it means is sorted out here",
        "except Exception as error:",
        f"{_TRIES}::TestErrors::test_an_exit_is_a_counterexample_like_any_other_exception",
    ),
    Mutant(
        "definite errors are indefinite",
        _EXECUTION,
        "Outcome(Status.FAIL if definite else Status.INFO, error=error)",
        "Outcome(Status.INFO, error=error)",
        f"{_WORLD}::TestFalsePredicates::test_a_set_if_is_applied_and_reported_as_failed",
    ),
    Mutant(
        "a client has one attempt more than its call says",
        _EXECUTION,
        "self._attempts = self.program.calls[self.index].attempts",
        "self._attempts = self.program.calls[self.index].attempts + 1",
        f"{_WORLD}::TestRefusals",
    ),
    Mutant(
        "identifiers of different clients are the same",
        _EXECUTION,
        'return self.label + "t".join',
        'return "u" + "t".join',
        f"{_BY_HAND}[clients of one program that mint identifiers]",
    ),
    Mutant(
        "a call is invoked before its first effect",
        _EXECUTION,
        "if self.op is None or self.begins:",
        "if self.op is None:",
        f"{_WORLD}::TestWorld::test_a_call_is_invoked_with_its_first_effect_and_returns_with_its_last",
    ),
    Mutant(
        "a client that crashed is closed, which runs its finally",
        _EXECUTION,
        "            abandon(self._coroutine)",
        "            self._coroutine.close()",
        "tests/edge/test_exceptions.py::TestCrashes::test_no_line_of_a_client_runs_after_its_crash",
    ),
    Mutant(
        "observers see nothing of the last effect",
        _EXECUTION,
        "            self._observe(self.op, reply)\n        else:",
        "            pass\n        else:",
        f"{_BY_HAND}[a ghost variable is 0 or False]",
    ),
    Mutant(
        "every coroutine is closed when it is abandoned",
        "impl/frames.py",
        "    if runs:\n        _keep",
        "    if coroutine is None:\n        _keep",
        f"{_FRAMES}::TestAbandon",
    ),
    Mutant(
        "an async with runs nothing when it is closed",
        "impl/frames.py",
        "if isinstance(node, ast.With | ast.AsyncWith):",
        "if isinstance(node, ast.With):",
        f"{_FRAMES}::TestWouldRun",
    ),
    Mutant(
        "a finally is not looked for",
        "impl/frames.py",
        "            if node.finalbody:",
        "            if node.finalbody and node.orelse:",
        f"{_FRAMES}::TestWouldRun",
    ),
    Mutant(
        "only a clause that names GeneratorExit catches it",
        "impl/frames.py",
        "issubclass(GeneratorExit, part)",
        "part is GeneratorExit",
        f"{_FRAMES}::TestWouldRun",
    ),
    Mutant(
        "generators that a flow holds are not looked into",
        "impl/frames.py",
        "        todo.extend(gc.get_referents(at))\n        todo.extend(frame.f_locals.values())",
        "",
        f"{_FRAMES}::TestWouldRun",
    ),
    Mutant(
        "the line of a step is that of the outermost function",
        "impl/frames.py",
        "code, line = own[-1]",
        "code, line = own[0]",
        f"{_FRAMES}::TestSpot",
    ),
    Mutant(
        "whole numbers may be True",
        "impl/wellformed.py",
        "if not isinstance(value, int) or isinstance(value, bool) or value.bit_length() > 63:",
        "if not isinstance(value, int) or value.bit_length() > 63:",
        "tests/impl/test_wellformed.py",
    ),
    Mutant(
        "a bytearray is bytes",
        "impl/wellformed.py",
        "return bytes.__getitem__(value, slice(None)) if isinstance(value, bytes) else _WRONG",
        "return bytes(value) if isinstance(value, bytes | bytearray) else _WRONG",
        "tests/impl/test_wellformed.py",
    ),
    Mutant(
        "an exception of a check finds nothing",
        "lakeproof/explore/asking.py",
        "                raise\n            raise _failed(name, error) from error\n\n\ndef advanced",
        "                raise\n            return []\n\n\ndef advanced",
        f"{_FENCES}::TestChecks",
    ),
    Mutant(
        "a check that returns no findings has found none",
        "lakeproof/explore/asking.py",
        """raise ScenarioError(f"invariant {name!r}: its check returned {_shown(found)}; {_EXPECTED}")""",
        "return []",
        f"{_FENCES}::TestChecks",
    ),
    Mutant(
        "what a check finds is not looked at",
        "lakeproof/explore/asking.py",
        "if not isinstance(part, Violation | Reached):",
        "if part is None:",
        f"{_FENCES}::TestChecks",
    ),
    Mutant(
        "a watch that raises watches nothing",
        "lakeproof/explore/asking.py",
        "            raise _failed(invariant.id, error) from error",
        "            return False",
        f"{_FENCES}::TestWatches",
    ),
    Mutant(
        "a monitor's state may be a list",
        "lakeproof/explore/asking.py",
        "            comparable(monitor.id, after)",
        "            identity(after)",
        f"{_FENCES}::TestMonitors",
    ),
    Mutant(
        "code may run for ever",
        "lakeproof/explore/fence.py",
        "        if over <= 0:\n            return",
        "        if over:\n            return",
        "tests/explore/test_fence.py::TestWatch",
    ),
    Mutant(
        "an interrupt that a flow raises ends the command",
        "lakeproof/explore/fence.py",
        "        return INTERRUPTS.came\n",
        "        return True\n",
        "tests/explore/test_fence.py::TestOurs",
    ),
    Mutant(
        "a hang is taken for the flow's own exception",
        "lakeproof/explore/fence.py",
        "return isinstance(error, MemoryError | Undecided)",
        "return isinstance(error, MemoryError)",
        "tests/explore/test_fence.py::TestOurs",
    ),
)
