"""The page of the explorer, before its script has loaded a state."""

from typing import Final

from lakeproof.scenario import Scenario
from lakeproof.show.pages.markup import document, text
from lakeproof.words import plural


def explorer_page(scenario: Scenario, broken: str | None = None) -> str:
    """The whole page of a scenario, which fetches states from where it came from. ``broken``: a path to a violation, to
    which a guided tour leads; None: no tour."""
    facts = f"{plural(len(scenario.clients), 'client')} · {plural(len(scenario.ids), 'invariant')}"
    tour = "" if broken is None else _TOUR.format(broken=text(broken))
    body = _BODY.format(name=text(scenario.name), facts=text(facts), tour=tour)
    return document(f"{scenario.name}: explore", body, "explore.js", live=True)


_TOUR: Final = """<section class="tour" id="tour" aria-labelledby="tour-heading">
<h2 id="tour-heading">A guided tour <span class="read" id="tour-at"></span></h2>
<ol aria-live="polite">
<li data-shows="clients" data-path="" hidden>Several <strong>clients</strong> run at once, on one store. Each runs its
calls one after the other, and waits for one answer of the store at a time. This is the beginning.</li>
<li data-shows="options" hidden>A <strong>step</strong> is one effect of one client: it reads, writes or deletes a key.
Which client comes next is open, and that is the race. These are all steps that are possible now. Take one.</li>
<li data-shows="store" hidden>After each step there is a <strong>state</strong>: what the store holds, and where each
client stands. Two schedules that lead to one state have the same future, so it is searched once.</li>
<li data-shows="budgets" hidden>A <strong>fault</strong> is a step like any other, as long as its budget lasts: a
crash, a lost answer, a jump of the clock. Where a scenario has a budget, its faults are among the next steps.</li>
<li data-shows="judged" hidden>An <strong>invariant</strong> is a promise that each state, step or end must keep. A step
that breaks one is marked before you take it.</li>
<li data-shows="taken" data-path="{broken}" hidden>Here it goes wrong. Read the schedule from the top: which client
works with what it has read before another one wrote?</li>
<li data-shows="search" hidden>One path proves nothing. <em>Search all schedules</em> takes every step in every state:
what it does not find is proved absent, within the bounds of the scenario.</li>
</ol>
<div class="moves"><button type="button" id="tour-back">Back</button>
<button type="button" id="tour-next">Next</button>
<button type="button" id="tour-end">End the tour</button></div>
</section>
"""
"""One stop is shown at a time: the part of the page that it is about, and the path that it walks to."""

# The script fills these elements by their ids, and shows what is hidden once a state has come.
_BODY = """<div class="page explorer">
<header class="top">
<p class="brand">lakeproof · explorer</p>
<h1>{name}</h1>
<p class="where">{facts}</p>
<p class="hidden" id="status" role="status"></p>
</header>
<noscript><p>This page walks live through the states of a scenario, and needs its script.</p></noscript>
<main>
{tour}<p class="running" id="running" hidden>Running …</p>
<div class="evidence" id="problem" role="alert" hidden></div>
<div class="split" id="main" hidden>
<section aria-labelledby="next-heading">
<h2 id="next-heading" tabindex="-1">Next step</h2>
<ol class="options" id="options"></ol>
<p class="read" id="end" hidden>Nothing more can happen: all clients have finished or crashed.</p>
<h2 id="path-heading">Schedule so far</h2>
<div class="moves"><button type="button" id="begin">To the beginning</button>
<button type="button" id="undo">Undo</button></div>
<p class="read" id="nothing">Nothing has happened yet.</p>
<ol class="taken" id="taken"></ol>
<h2 class="gap">Share</h2>
<p>The address has the path; this command opens the same state on another machine:</p>
<div class="line"><pre><code id="command"></code></pre></div>
</section>
<section class="panel" aria-labelledby="invariants-heading">
<h2 id="invariants-heading">Invariants</h2>
<p class="read">What this one path shows. Only a search of all schedules proves.</p>
<div class="moves"><button type="button" id="search">Search all schedules</button></div>
<p id="searched" role="status"></p>
<ul class="judged" id="judged"></ul>
<h3 id="store-heading">Store</h3>
<table class="contents" id="store" aria-labelledby="store-heading">
<thead><tr><th scope="col">key</th><th scope="col">before</th><th scope="col">now</th></tr></thead>
<tbody id="contents"></tbody></table>
<h3>Clients</h3>
<ul class="clients" id="clients"></ul>
<h3>Faults left</h3>
<ul class="counts" id="budgets"></ul>
</section>
</div>
</main>
<footer><p>Keys: <kbd>1</kbd> to <kbd>9</kbd> take a step, <kbd>u</kbd> takes the last one back; so does the
browser's Back.</p></footer>
</div>"""
