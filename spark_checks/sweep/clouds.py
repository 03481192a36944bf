"""Objects in Google Cloud Storage and Azure.

A look is a HEAD for each object, and a delete is a request for each: in a batch, the library would tell the first error
alone. There is no condition: obstore's deletes have none.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from lakeproof.spark_checks.engine.troubles import describe_error
from lakeproof.spark_checks.sweep.journal import DELETED, GONE, NO_ANSWER, PUT_AGAIN, VANISHED, End, Entry
from lakeproof.spark_checks.sweep.marks import unquote
from lakeproof.spark_checks.sweep.second_look import SECOND, Found
from lakeproof.spark_checks.sweep.targets import Look, Pace, Trouble, Unnameable, beneath
from lakeproof.words import Unusable

try:
    import obstore
    from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError
    from obstore.store import from_url
except ImportError as error:
    raise Unusable(f"spark sweep: {error.name} is not installed; pip install 'lakeproof[sweep]'") from error

if TYPE_CHECKING:
    from obstore.store import ObjectStore

_REFUSED = (PermissionDeniedError, UnauthenticatedError)


def open_store(where: str) -> "ObjectStore":
    """Credentials come from the environment, as the store's own tools take them. Raises Unusable: it cannot be
    reached."""
    try:
        store = from_url(where)
        # Credentials and the bucket are tried now. Otherwise each object would fail by itself, with the same words.
        next(iter(obstore.list(store, chunk_size=1)), None)
    except (BaseError, ValueError, OSError) as error:
        raise Unusable(
            f"{where}: cannot be looked at ({describe_error(error)}); see that it is there, and that the environment "
            "has the credentials of one who may list, read and delete"
        ) from None
    return store


class Cloud:
    """A bucket, or what begins with a prefix in it. ``base``: what stands in the addresses of a run for it."""

    unit = SECOND

    def __init__(self, store: "ObjectStore", *, base: str, pace: Pace, at_once: int) -> None:
        self._store, self._base, self._pace = store, base, pace
        self._pool = ThreadPoolExecutor(at_once)

    def name(self, address: str) -> str:
        rest = beneath(self._base, address)
        if any(part in {"", ".", ".."} for part in rest.split("/")):
            raise Unnameable  # a path of obstore's: it takes "x/" for "x"
        return rest

    def look(self, names: Sequence[str]) -> list[Look]:
        # `map` keeps the order, as `Target.look` promises.
        return list(self._pool.map(self._look, names))

    def delete(self, there: Sequence[tuple[str, Found]]) -> list[Entry]:
        return list(self._pool.map(self._delete, there))

    def _look(self, name: str) -> Look:
        self._pace.wait()
        try:
            head = obstore.head(self._store, name)
        except FileNotFoundError:
            return None
        except (BaseError, ValueError, OSError) as error:
            return Trouble(describe_error(error))
        e_tag = head["e_tag"]
        return Found(
            head["size"],
            # Cut off, as the marks are before they are compared.
            int(head["last_modified"].timestamp()) * SECOND,
            None if e_tag is None else unquote(e_tag),
            head["version"],
        )

    def _delete(self, there: tuple[str, Found]) -> Entry:
        """It is looked at once more: a window of one request, and not of a batch."""
        name, found = there
        now = self._look(name)
        if isinstance(now, Trouble):
            return Entry(End.FAILED, now.why)
        # Size, time, ETag and version at once: any change since the look of the batch keeps the object.
        if now != found:
            return GONE if now is None else PUT_AGAIN
        self._pace.wait()
        try:
            obstore.delete(self._store, name)
        except FileNotFoundError:
            return VANISHED
        # The store has refused. Any other error may have come after the delete was carried out.
        except _REFUSED as error:
            return Entry(End.FAILED, describe_error(error))
        except (BaseError, ValueError, OSError) as error:
            return Entry(End.PERHAPS, NO_ANSWER, describe_error(error))
        return DELETED
