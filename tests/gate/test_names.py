"""What looks minted has a stable name; what does not stays as it is."""

import pytest

from lakeproof.gate.names import Names, beginning_of_names


@pytest.mark.parametrize(
    "minted",
    [
        *("4CCGHGSX0CNP1ZTS0YEG", "CCPVEVZYTEKVKTYWNTNG", "01M83P91E11SSX0P4642Y43YZM"),
        *("cq1v2s3o3k4l5m6n7p8g", "6ea4efaa-72d3-4ab6-8ebb-f2fb8675f8d2", "5d41402abc4b2a76b9719d911017c592"),
        *("4ceca4d98e1f8ded969619c13f2019f74fd904a1a55d081fa2d698d851cb4d84", "4onk3o9ksdudi4c9obm0"),
    ],
)
def test_what_is_minted_is_named_also_behind_a_slash_of_a_key_of_dynamodb(minted: str) -> None:
    assert Names().renamed(f"PutItem t/p/commits%2F{minted}", "c1") == "PutItem t/p/commits%2F<c1.1>"
    assert Names().renamed(f"PUT b/{minted}.sst", "c1") == "PUT b/<c1.1>.sst"


@pytest.mark.parametrize("kept", ["00000000000000000001", "18446744073709551613", "internationalization", "manifest"])
def test_what_counts_or_is_a_word_is_kept(kept: str) -> None:
    assert Names().renamed(f"PUT b/{kept}", "c1") == f"PUT b/{kept}"


@pytest.mark.parametrize("slash", ["/", "%2F"])
@pytest.mark.parametrize(
    "sharded",
    [
        *("5d {}5d41402abc4b2a76b9719d911017c592", "5d41 {}5d41402abc4b2a76b9719d911017c592"),
        *("6b {}39d3013b405b3ba5f8e6f5a7b1a2c3d4e5f607", "5d {}41402abc4b2a76b9719d911017c592"),
    ],
)
def test_a_hash_in_the_folder_of_its_first_digits_has_one_name(sharded: str, slash: str) -> None:
    text = f"PUT b/data/{sharded.replace(' {}', slash)}"
    assert Names().renamed(text, "c1") == "PUT b/data/<c1.1>"


def test_a_folder_that_is_no_part_of_a_hash_is_kept() -> None:
    assert Names().renamed("PUT b/5e/5d41402abc4b2a76b9719d911017c592", "c1") == "PUT b/5e/<c1.1>"


@pytest.mark.parametrize("part", ["6", "6b/", "6b/6b3", "5d414-"])
def test_a_listing_by_a_part_of_a_name_may_find_what_is_named(part: str) -> None:
    assert beginning_of_names(f"b/data/{part}") == "b/data/<"
    assert beginning_of_names("b/data/<c1.2>") == "b/data/"  # which looks like a name itself


@pytest.mark.parametrize(
    "key", ["data/5d/41402abc4b2a76b9719d911017c592", "%2Fx6ea4efaa-72d3-4ab6-8ebb-f2fb8675f8d2", "v1598123456789"]
)
@pytest.mark.parametrize("before", ["b/", "b/snap"])
def test_a_listing_by_each_part_of_a_key_may_find_it(key: str, before: str) -> None:
    names, whole = Names(), f"{before}{key}"
    named = names.renamed(whole, "c1")
    for end in range(len(before), len(whole)):
        part = whole[:end]
        renamed = names.renamed(part, "c1")
        assert part.endswith(("%", "%2")) or named.startswith((part, renamed, beginning_of_names(renamed)))


@pytest.mark.parametrize("whole", ["", "part-", "6z", "data/"])
def test_a_listing_of_a_folder_finds_what_is_named_in_it_alone(whole: str) -> None:
    assert beginning_of_names(f"b/x/{whole}") == f"b/x/{whole}"
