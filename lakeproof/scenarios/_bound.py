"""A proposal's flows in one of its readings: options that several flows share, bound once for all."""

import inspect
from collections.abc import Callable, Hashable
from functools import partial
from types import ModuleType, SimpleNamespace


def bound(module: ModuleType, **options: Hashable) -> SimpleNamespace:
    """The flows of a module, each with those of the options that it has.

    Raises ValueError for an option that no flow has.
    """
    flows: dict[str, object] = {}
    used: set[str] = set()
    for name, flow in vars(module).items():
        if inspect.iscoroutinefunction(flow):
            known = inspect.signature(flow).parameters.keys() & options.keys()
            flows[name] = _partial(flow, {each: options[each] for each in known})
            used |= known
    if unknown := options.keys() - used:
        raise ValueError(f"options {sorted(unknown)}: expected some flow of {module.__name__} to have them; leave out")
    return SimpleNamespace(**flows)


def _partial(flow: Callable[..., object], options: dict[str, Hashable]) -> Callable[..., object]:  # type: ignore[explicit-any]
    return partial(flow, **options) if options else flow
