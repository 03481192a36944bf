"""Faults in how a search goes through its space: levels, layouts, packed rows, symmetry, the way back."""

from typing import Final

from tests.mutants.planted import Mutant

_BY_HAND: Final = "tests/differential/test_differential.py::test_searches_agree_on_sets_made_by_hand"
_COUNTS: Final = "tests/explore/test_counts_by_hand.py"
_LIMITS: Final = "tests/explore/test_limits.py"
_PACKING: Final = "tests/explore/test_packing.py"
_AGREE: Final = "tests/explore/test_agreement.py::test_all_searches_agree_on_flows_made_by_hand"
_SEARCH: Final = "lakeproof/explore/search.py"

MUTANTS: Final = (
    Mutant(
        "every search counts as complete",
        _SEARCH,
        "complete = not self.ahead and not stopped and not self.unexpanded",
        "complete = True",
        f"{_LIMITS}::test_a_limit_of_states_leaves_all_that_holds_inconclusive[5]",
    ),
    Mutant(
        "a level that was judged and not expanded counts as expanded",
        _SEARCH,
        "            self.unexpanded = True\n        self._reconsider",
        "            pass\n        self._reconsider",
        f"{_LIMITS}::test_a_search_that_is_decided_at_its_first_state_is_not_complete",
    ),
    Mutant(
        "what is not complete holds",
        _SEARCH,
        "elif not complete:",
        "elif not complete and not record.reached:",
        f"{_LIMITS}::test_a_limit_of_states_leaves_all_that_holds_inconclusive[5]",
    ),
    Mutant(
        "what was never put to the test holds",
        _SEARCH,
        "elif not record.reached:",
        "elif record.reached < 0:",
        f"{_LIMITS}::test_an_invariant_that_was_never_put_to_the_test_is_inconclusive",
    ),
    Mutant(
        "a flow that hangs ends the search, which is then complete",
        _SEARCH,
        "stopped, self.unexpanded = str(error), True",
        "pass",
        f"{_LIMITS}::test_a_flow_that_hangs_leaves_all_that_holds_inconclusive",
    ),
    Mutant(
        "a search ends at the first violation of any invariant",
        "lakeproof/explore/judge.py",
        "return all(self.records[name].violation is not None for name in self._sought)",
        "return any(self.records[name].violation is not None for name in self._sought)",
        f"{_LIMITS}::TestRanked::test_a_large_search_with_a_violation_finds_the_shortest_way_to_it",
    ),
    Mutant(
        "a ranked search stays with the way that it has found to a violation",
        _SEARCH,
        "if self.ranked and self.judge.violated:",
        "if self.ranked and self.judge.violated and self.judge.decided:",
        f"{_LIMITS}::TestRanked::test_a_large_search_with_a_violation_finds_the_shortest_way_to_it",
    ),
    Mutant(
        "ranked successors are filed one level on, whatever their rank",
        _SEARCH,
        "self.ahead.setdefault(level + stride, [])",
        "self.ahead.setdefault(level + 1, [])",
        "tests/explore/test_behaviour.py::TestMerging::test_pasts_that_sit_in_an_iterator_are_kept_apart",
    ),
    Mutant(
        "a state is skipped between two chunks",
        _SEARCH,
        "            at += CHUNK",
        "            at += CHUNK + 1",
        f"{_LIMITS}::test_chunks_of_any_size_cover_a_level",
    ),
    Mutant(
        "levels to come keep the old layout",
        _SEARCH,
        "later: [self.levels.repack(part, old, self.kernel.layout) for part in parts]",
        "later: list(parts)",
        f"{_LIMITS}::test_chunks_of_any_size_cover_a_level",
    ),
    Mutant(
        "the level that is under way keeps the old layout",
        _SEARCH,
        "words = self.levels.repack(words, old, self.kernel.layout)",
        "words = list(words)",
        f"{_AGREE}[increments race]",
    ),
    Mutant(
        "clients that mint identifiers go on sharing a behaviour",
        _SEARCH,
        "        if shared:\n            raise _Minted",
        "        if shared and not self.symmetric:\n            raise _Minted",
        "tests/explore/test_behaviour.py::TestMinting::test_clients_that_mint_are_told_apart[mints_late]",
    ),
    Mutant(
        "there is symmetry although a monitor tells clients apart",
        _SEARCH,
        "if self.symmetric and not monitors else []",
        "if self.symmetric else []",
        f"{_AGREE}[a monitor over equal clients]",
    ),
    Mutant(
        "the ends of histories are reached but once",
        _SEARCH,
        "behaviour.look_again()",
        "behaviour.ends()",
        "tests/explore/test_behaviour.py::TestDeterminism::test_a_flow_that_seldom_ends_otherwise_is_found",
    ),
    Mutant(
        "the exchange of interchangeable clients is left out",
        "lakeproof/explore/symmetry.py",
        "for number in dict.fromkeys(numbers):",
        "for number in numbers[:1]:",
        "tests/explore/test_clients_told_apart.py::"
        "test_whichever_client_an_invariant_singles_out_it_is_refuted[True-0]",
    ),
    Mutant(
        "states are not made canonical",
        "lakeproof/explore/symmetry.py",
        "nodes = np.sort(np.stack([kernel.layout.field(words, column) for column in columns]), axis=0)",
        "nodes = np.stack([kernel.layout.field(words, column) for column in columns])",
        f"{_COUNTS}::TestInterleavings::test_equal_readers_count_as_a_multiset[3]",
    ),
    Mutant(
        "states are made canonical column by column, not client by client",
        "lakeproof/explore/symmetry.py",
        "np.stack([kernel.layout.field(words, column) for column in columns]), axis=0)",
        "np.stack([kernel.layout.field(words, column) for column in columns]), axis=1)",
        f"{_COUNTS}::TestInterleavings::test_equal_readers_count_as_a_multiset[2]",
    ),
    Mutant(
        "programs are compared by ==",
        "lakeproof/explore/space.py",
        "identity((one.calls, one.frozen_now)) == identity((other.calls, other.frozen_now))",
        "(one.calls, one.frozen_now) == (other.calls, other.frozen_now)",
        f"{_BY_HAND}[an argument is True or 1]",
    ),
    Mutant(
        "clients whose clocks differ are interchangeable",
        "lakeproof/explore/space.py",
        "_same_program(program, other) and setting.skews[index] == setting.skews[earlier]",
        "_same_program(program, other)",
        "tests/explore/test_behaviour.py::TestMinting::test_clients_with_jumping_clocks_that_differ_are_told_apart",
    ),
    Mutant(
        "a monitor that rests is marked by a word",
        "lakeproof/explore/space.py",
        "DEAD: Final = _Dead()",
        'DEAD: Final = "dead"',
        f"{_BY_HAND}[a monitor's state is the string dead]",
    ),
    Mutant(
        "a column may outgrow its bits by one number",
        "lakeproof/explore/space.py",
        "any(len(taken) > room for taken, room in self._room)",
        "any(len(taken) > room + 1 for taken, room in self._room)",
        f"{_COUNTS}::TestRaces::test_an_increment_is_lost_in_four_of_six_schedules",
    ),
    Mutant(
        "wide effects happen at the first time of the clock",
        "lakeproof/explore/space.py",
        "                time = self.setting.times[number]",
        "                time = self.setting.times[0]",
        f"{_BY_HAND}[a request expires by the stores' clock]",
    ),
    Mutant(
        "the snapshot shows the first time of the clock",
        "lakeproof/explore/space.py",
        "return self.setting.times[numbers[self.clock] if self.clock >= 0 else 0]",
        "return self.setting.times[0]",
        f"{_AGREE}[clocks that jump and differ]",
    ),
    Mutant(
        "values of a column are told apart by ==",
        "lakeproof/explore/packing.py",
        "        key = identity(value)\n        found = self._numbers.get(key)",
        "        key = value\n        found = self._numbers.get(key)",
        f"{_BY_HAND}[a monitor's state is True or 1]",
    ),
    Mutant(
        "a column has one bit too few for its largest number",
        "lakeproof/explore/packing.py",
        "return (len(self.values) - 1).bit_length()",
        "return max(len(self.values) - 2, 0).bit_length()",
        f"{_PACKING}::TestColumn::test_it_needs_just_the_bits_of_its_largest_number[3-2]",
    ),
    Mutant(
        "unpacking is off by one bit",
        "lakeproof/explore/packing.py",
        "return tuple([(row[word] >> shift) & mask for word, shift, mask in self._fields])",
        "return tuple([(row[word] >> shift) & (mask >> 1) for word, shift, mask in self._fields])",
        f"{_PACKING}::TestLayout::test_missing_columns_are_packed_as_zero",
    ),
    Mutant(
        "the last column is lost when states are packed anew",
        "lakeproof/explore/packing.py",
        "for column, place in enumerate(old.places):",
        "for column, place in enumerate(old.places[:-1]):",
        f"{_PACKING}::TestRepack::test_columns_may_change_words_and_places",
    ),
    Mutant(
        "columns that do not fit begin in the same word",
        "lakeproof/explore/packing.py",
        "word, free = word + 1, WORD_BITS",
        "word, free = word, WORD_BITS",
        f"{_PACKING}::TestLayout::test_columns_of_no_bits_take_no_room",
    ),
    Mutant(
        "rows with one word in common are one row",
        "lakeproof/explore/packing.py",
        "first[1:] |= word[1:] != word[:-1]",
        "first[1:] &= word[1:] != word[:-1]",
        f"{_PACKING}::TestDistinct::test_rows_with_one_fingerprint_are_not_taken_for_each_other",
    ),
    Mutant(
        "rows are compared by their fingerprint alone",
        "lakeproof/explore/packing.py",
        "return take(ordered_rows, _firsts(ordered_rows))",
        "return take(ordered_rows, _firsts([fingerprint(ordered_rows)]))",
        f"{_PACKING}::TestDistinct::test_rows_with_one_fingerprint_are_not_taken_for_each_other",
    ),
    Mutant(
        "the way back ends before the move that violates",
        "lakeproof/explore/paths.py",
        "return moves if place.move is None else (*moves, _last(kernel, symmetry, states[::-1], moves, place.move))",
        "return moves",
        f"{_BY_HAND}[a step is at the time of its state]",
    ),
    Mutant(
        "the way back names the client of the representative",
        "lakeproof/explore/paths.py",
        "            return attrs.evolve(move, client=client)",
        "            return move",
        f"{_LIMITS}::test_the_last_move_of_a_counterexample_is_by_a_client_that_can_make_it",
    ),
    Mutant(
        "a path is walked without a look at where it leads",
        "lakeproof/explore/paths.py",
        "if tuple(int(word[0]) for word in shown) == target:",
        "if shown:",
        f"{_AGREE}[increments race]",
    ),
)
