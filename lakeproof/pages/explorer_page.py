"""The page of the explorer, before its script has asked for a state."""

from lakeproof.pages.markup import document, text
from lakeproof.report.style import plural
from lakeproof.scenario import Scenario


def explorer_page(scenario: Scenario) -> str:
    """The whole page of a scenario; states are fetched from where it came from."""
    facts = f"{plural(len(scenario.clients), 'client')} · {plural(len(scenario.ids), 'invariant')}"
    body = _BODY.format(name=text(scenario.name), facts=text(facts))
    return document(f"{scenario.name}: explore", body, "explore.js", live=True)


_BODY = """<div class="page explorer">
<header class="top">
<p class="brand">lakeproof · explorer</p>
<h1>{name}</h1>
<p class="where">{facts}</p>
<p class="hidden" id="status" role="status"></p>
</header>
<noscript><p>This page walks live through the states of a scenario, and needs its script.</p></noscript>
<main>
<p class="running" id="running" hidden>Running …</p>
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
<table class="contents" aria-labelledby="store-heading">
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
