"""Faults in what is judged, and in what is said of it: projections, findings, verdicts, traces, exit codes."""

from typing import Final

from tests.mutants.planted import Mutant

_BY_HAND: Final = "tests/differential/test_differential.py::test_searches_agree_on_sets_made_by_hand"
_AGREE: Final = "tests/explore/test_agreement.py::test_all_searches_agree_on_flows_made_by_hand"
_COUNTS: Final = "tests/explore/test_counts_by_hand.py"
_LIMITS: Final = "tests/explore/test_limits.py"
_TOLD_APART: Final = (
    "tests/explore/test_clients_told_apart.py::test_whichever_client_an_invariant_singles_out_it_is_refuted"
)
_JUDGE: Final = "lakeproof/explore/judge.py"
_TASKS: Final = "tests/test_tasks.py"

MUTANTS: Final = (
    Mutant(
        "invariants are always true",
        _JUDGE,
        "            if isinstance(finding, Violation):\n",
        "            if isinstance(finding, Violation) and not finding.evidence:\n",
        f"{_LIMITS}::test_a_search_with_nothing_left_to_decide_stops_early",
    ),
    Mutant(
        "whatever was evaluated was reached",
        _JUDGE,
        "        self.evaluations += 1\n",
        "        self.evaluations += 1\n        self.reached += 1\n",
        f"{_LIMITS}::test_an_invariant_that_was_never_put_to_the_test_is_inconclusive",
    ),
    Mutant(
        "projections on different parts of a state are taken for each other",
        _JUDGE,
        'in self._fresh(("always", reads), words, reads):',
        'in self._fresh("always", words, reads):',
        f"{_LIMITS}::test_invariants_that_read_different_parts_are_judged_on_each",
    ),
    Mutant(
        "what is visible of a client is told apart by ==",
        _JUDGE,
        "first.setdefault(node.visible, node.id)",
        "first.setdefault(node.calls, node.id)",
        f"{_BY_HAND}[True or 1 is returned]",
    ),
    Mutant(
        "a transition is judged at the first time of the clock",
        _JUDGE,
        "jumps = numbers[space.clock] if space.clock >= 0 else 0",
        "jumps = 0",
        f"{_BY_HAND}[a step is at the time of its state]",
    ),
    Mutant(
        "a write whose answer is lost is no step",
        _JUDGE,
        "APPLIED = (Mode.NORMAL, Mode.LOST_APPLIED, Mode.REPEATED_APPLIED, Mode.FALSE_PREDICATE)",
        "APPLIED = (Mode.NORMAL, Mode.REPEATED_APPLIED, Mode.FALSE_PREDICATE)",
        f"{_COUNTS}::TestSteps",
    ),
    Mutant(
        "a write that is reported as failed is no step",
        _JUDGE,
        "APPLIED = (Mode.NORMAL, Mode.LOST_APPLIED, Mode.REPEATED_APPLIED, Mode.FALSE_PREDICATE)",
        "APPLIED = (Mode.NORMAL, Mode.LOST_APPLIED, Mode.REPEATED_APPLIED)",
        f"{_COUNTS}::TestSteps",
    ),
    Mutant(
        "an invariant may tell interchangeable clients apart",
        _JUDGE,
        "            if any(violations(asking.findings(name, partial(check, case)))) is not wrong:",
        "            if any(violations(asking.findings(name, partial(check, case)))) is None:",
        f"{_TOLD_APART}[True-0]",
    ),
    Mutant(
        "a step invariant may tell interchangeable clients apart",
        _JUDGE,
        "client=client) for client in group if client != transition.client)",
        "client=client) for client in group[:0])",
        "tests/explore/test_clients_told_apart.py::"
        "test_whichever_client_a_step_invariant_singles_out_it_is_refuted[True-1]",
    ),
    Mutant(
        "an aftermath is run at one time of each final store",
        _JUDGE,
        "key = (frozenset(held.items()), time)",
        "key = frozenset(held.items())",
        f"{_COUNTS}::TestAftermaths::test_an_aftermath_is_run_at_each_time_of_a_final_store",
    ),
    Mutant(
        "a monitor is never held against the end",
        _JUDGE,
        "        if state is not DEAD:\n            seen = space.snapshot",
        "        if state is DEAD:\n            seen = space.snapshot",
        f"{_BY_HAND}[a monitor's state is 0.0 or -0.0]",
    ),
    Mutant(
        "exceptions in flows are no violations",
        "lakeproof/explore/shown.py",
        "if call.status is Status.CRASHED and isinstance(call.error, UnhandledException)",
        "if call.status is Status.FAIL and isinstance(call.error, UnhandledException)",
        "tests/explore/test_behaviour.py::TestErrors::test_an_error_that_is_no_answer_is_named_with_its_call",
    ),
    Mutant(
        "the reply that a step invariant sees has no skew",
        "lakeproof/explore/shown.py",
        "(setting.now(client, jumps), {}) if isinstance(op, Now)",
        "(now, {}) if isinstance(op, Now)",
        f"{_BY_HAND}[a client's clock is ahead, the stores' is not]",
    ),
    Mutant(
        "walks report the moves of another walker",
        "lakeproof/explore/sampling.py",
        "walker = int(np.flatnonzero(same)[0])",
        "walker = 0",
        "tests/explore/test_sampling.py::test_the_lost_update_is_found_within_100_executions[random]",
    ),
    Mutant(
        "walks never take a fault",
        "lakeproof/explore/sampling.py",
        "weight = 1.0 if move.mode is Mode.NORMAL else FAULT_WEIGHT",
        "weight = 1.0 if move.mode is Mode.NORMAL else 1e-9",
        "tests/explore/test_sampling.py::test_faults_are_drawn_and_spread",
    ),
    Mutant(
        "a client that drops in PCT does not",
        "lakeproof/explore/sampling.py",
        "self._priority[drops, turn[drops]] = change",
        "self._priority[drops, turn[drops]] += change",
        "tests/explore/test_sampling.py::test_pct_without_a_change_point_runs_one_client_after_the_other",
    ),
    Mutant(
        "a simpler schedule counts although it violates nothing",
        "lakeproof/explore/minimise.py",
        "return moves[:done] if violated else None",
        "return moves[:done]",
        "tests/explore/test_minimise.py::test_moves_that_violate_nothing_are_refused",
    ),
    Mutant(
        "every switch is a preemption",
        "lakeproof/explore/minimise.py",
        "sum(one != other and one in tasks[at:] for at,",
        "sum(one != other for at,",
        "tests/explore/test_minimise.py::test_a_preemption_is_a_switch_away_from_a_client_that_runs_again[aabb-0]",
    ),
    Mutant(
        "moves that violate nothing are recorded",
        "lakeproof/explore/replay.py",
        "    if violation is None:\n        raise NotReproduced",
        "    if violation is None and not moves:\n        raise NotReproduced",
        "tests/explore/test_replay.py::TestNotReproduced::test_moves_that_violate_nothing",
    ),
    Mutant(
        "a replay compares words only",
        "lakeproof/explore/replay.py",
        "    if _unplaced(found_step) != _unplaced(step):",
        "    if _unplaced(attrs.evolve(found_step, exact=step.exact)) != _unplaced(step):",
        "tests/explore/test_replay.py::TestDiverged::test_a_detail_that_words_leave_out_is_noticed",
    ),
    Mutant(
        "a replay does not compare the evidence",
        "lakeproof/explore/replay.py",
        'if _PLACE.sub("", found) != _PLACE.sub("", trace.evidence):',
        "if not found:",
        "tests/explore/test_replay.py::TestDiverged::test_other_evidence",
    ),
    Mutant(
        "an inconclusive verdict is as good as one that holds",
        "lakeproof/running/tasks.py",
        "        return self.verdict != self.expected",
        '        return self.verdict not in (self.expected, "inconclusive")',
        f"{_TASKS}::TestUnexpected",
    ),
    Mutant(
        "what is expected to be violated may hold",
        "lakeproof/running/tasks.py",
        "        return self.verdict != self.expected",
        '        return self.verdict == "violated" != self.expected',
        f"{_TASKS}::TestUnexpected",
    ),
    Mutant(
        "what is checked of every scenario counts only where it is named",
        "lakeproof/running/tasks.py",
        'if not self.named and self.verdict == "inconclusive":',
        "if not self.named:",
        f"{_TASKS}::TestUnexpected",
    ),
    Mutant(
        "what a walk did not violate holds",
        "lakeproof/running/tasks.py",
        'verdict="violated" if name in found.violations else "inconclusive",',
        'verdict="violated" if name in found.violations else "holds",',
        f"{_TASKS}::test_a_walk_proves_nothing",
    ),
    Mutant(
        "a scenario that cannot be run holds",
        "lakeproof/running/tasks.py",
        '            verdict="inconclusive",\n            why=why,',
        '            verdict="holds",\n            why=why,',
        f"{_TASKS}::test_nothing_is_known_of_a_scenario_that_cannot_be_run",
    ),
    Mutant(
        "a process that ended with exit code 0 is no trouble",
        "lakeproof/running/processes.py",
        "if exitcode is None or exitcode >= 0:",
        "if exitcode is None or exitcode > 0:",
        f"{_TASKS}::test_a_process_that_ended_by_itself_is_trouble_whatever_its_exit_code[0]",
    ),
    Mutant(
        "a command whose scenario could not be run ends with exit code 0 if that was expected",
        "lakeproof/cli.py",
        "    if any(outcome.trouble for outcome in outcomes):\n        return UNUSABLE",
        "    if not outcomes:\n        return UNUSABLE",
        f"{_TASKS}::TestExitCodes",
    ),
    Mutant(
        "what is inconclusive and was to hold ends with exit code 0",
        "lakeproof/cli.py",
        "return INCONCLUSIVE if surprises or nothing else AS_EXPECTED",
        "return INCONCLUSIVE if nothing else AS_EXPECTED",
        f"{_TASKS}::TestExitCodes",
    ),
    Mutant(
        "a scenario that has not reported is left out",
        "lakeproof/cli.py",
        'ordered = [outcomes.get(s.name) or undecided(s, "it has not reported") for s in scenarios]',
        "ordered = [outcomes[s.name] for s in scenarios if s.name in outcomes]",
        f"{_TASKS}::TestExitCodes",
    ),
)
