/* The explorer: a state belongs to a path, which is the fragment of the address, and is fetched. All text enters as text. */
(function () {
  let shown = null;
  let found = null;
  let asked = 0;
  const RUNNING_MS = 150;

  function button(name, text, act) {
    const made = make("button", name, text);
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  }

  const path = () => { try { return decodeURIComponent(location.hash.slice(1)); } catch (odd) { return location.hash; } };
  const colour = (label) => "c" + Math.max(0, shown.clients.findIndex((client) => client.label === label)) % 6;
  const take = (next) => { location.hash = next; };

  /* Where a path leads to no state, none is shown: that of another path would pass for it. */
  function complain(text, stateless) {
    const moves = make("div", "moves");
    if (stateless) {
      moves.append(button("", "Try again", go));
      if (shown && shown.path !== path()) moves.append(button("", "Back to the last state", () => take(shown.path)));
      else if (path()) moves.append(button("", "To the beginning", () => take("")));
      find("main").hidden = true;
      find("status").textContent = "";
    }
    find("problem").replaceChildren(make("p", "", text), moves);
    find("problem").hidden = !text;
  }

  async function ask(what, parameters, method) {
    const query = new URLSearchParams(parameters).toString();
    let answer;
    try {
      answer = await fetch(what + (query ? "?" + query : ""), { method: method || "GET" });
    } catch (gone) {
      throw new Error("The explorer does not answer: has it been ended? Its command is in the terminal.");
    }
    const type = answer.headers.get("Content-Type") || "";
    if (!type.startsWith("application/json")) throw new Error(await answer.text());
    const data = await answer.json();
    if (data.problem) throw Object.assign(new Error(data.problem), { stateless: true });
    return data;
  }

  function chip(step) {
    const name = step.late ? "chip late " : step.effect === "crash" || step.effect === "restart" ? "chip end " : "chip ";
    return make("span", name + (step.client ? colour(step.client) : ""), step.client || "clock");
  }

  function tell(step) {
    const told = make("span", "told");
    told.append(make("span", "", step.sentence));
    if (step.fault) told.append(make("span", "badge", "⚡ " + step.fault));
    for (const ended of step.returned) told.append(make("span", "ended", "⇒ " + ended));
    return told;
  }

  function showOptions() {
    find("options").replaceChildren(...shown.options.map((option, index) => {
      const row = make("li");
      const act = button("option", undefined, () => take(option.path));
      act.append(make("kbd", index < 9 ? "" : "none", index < 9 ? String(index + 1) : "·"), chip(option), tell(option));
      for (const [name, evidence] of option.violates) {
        act.append(make("span", "broken", "✗ violates " + name + ": " + evidence));
      }
      row.append(act);
      return row;
    }));
    find("end").hidden = !shown.end;
  }

  function showTaken() {
    find("taken").replaceChildren(...shown.steps.map((step, index) => {
      const row = make("li", index + 1 === shown.steps.length ? "now" : "");
      const back = button("step-button", String(index + 1), () => take(step.path));
      back.setAttribute("aria-label", "back to step " + (index + 1));
      row.append(back, chip(step), tell(step));
      if (step.at) row.append(make("code", "at", step.at));
      for (const name of step.violates) row.append(make("span", "broken", "✗ violates " + name));
      return row;
    }));
    find("nothing").hidden = shown.steps.length > 0;
    find("undo").disabled = find("begin").disabled = !shown.steps.length;
  }

  function showStore() {
    const last = shown.steps[shown.steps.length - 1];
    const [before, after] = [shown.before, shown.after].map((held) => new Map(Object.entries(held)));
    const stores = [[before, "before"], [after, "after"]];
    find("contents").replaceChildren(...storeRows(stores, last ? last.keys : [], last && last.key));
  }

  function proof(name) {
    if (!found || !Object.hasOwn(found.verdicts, name)) return [];
    const verdict = found.verdicts[name];
    if (verdict.path !== null) {
      const text = "Jump to its violation, " + verdict.steps + (verdict.steps === 1 ? " step" : " steps");
      return [button("jump", text, () => take(verdict.path))];
    }
    const word = verdict.verdict === "holds" ? "proved within the bounds" : verdict.verdict;
    const text = "search: " + word + (verdict.why ? ": " + verdict.why : "");
    return [make("span", "saw", text)];
  }

  function showJudged() {
    const words = { "violated": "is-violated", "holds here": "is-holds", "not tested yet": "read" };
    find("judged").replaceChildren(...shown.invariants.map((row) => {
      const made = make("li");
      made.append(make("strong", "mono", row.id), make("span", words[row.state] || "read",
        row.state === "violated" ? "✗ violated " + (row.step ? "at step " + row.step : "at first") : row.state));
      made.append(make("span", "meaning", row.meaning));
      if (row.evidence) made.append(make("span", "broken", row.evidence));
      if (row.state === "violated" && row.step) {
        const link = make("a", "", "save the trace");
        link.href = "trace?" + new URLSearchParams({ path: shown.path, invariant: row.id });
        link.download = "trace.json";
        made.append(link);
      }
      made.append(...proof(row.id));
      return made;
    }));
  }

  function showRest() {
    find("clients").replaceChildren(...shown.clients.map((client) => {
      const row = make("li");
      row.append(make("span", "chip " + colour(client.label), client.label));
      const told = make("span");
      told.append(make("code", "", client.call || client.calls.join(", then ")), make("span", "saw", client.state));
      row.append(told);
      return row;
    }));
    const budgets = shown.budgets.map((each) => make("li", "", each.name + ": " + each.left + " of " + each.of));
    find("budgets").replaceChildren(...(budgets.length ? budgets : [make("li", "", "none in this scenario")]));
    find("command").textContent = shown.command;
  }

  function show() {
    showOptions();
    showTaken();
    showStore();
    showJudged();
    showRest();
    const last = shown.steps[shown.steps.length - 1];
    const broken = last && last.violates.length ? "; violates " + last.violates.join(", ") : "";
    find("status").textContent = last ? "Step " + shown.steps.length + ": " + last.sentence + broken : "At first";
    find("main").hidden = false;
  }

  async function go() {
    const mine = ++asked;
    setTimeout(() => { if (mine === asked) find("running").hidden = false; }, RUNNING_MS);
    try {
      const state = await ask("state", { path: path() });
      if (mine !== asked) return;
      asked++;
      const inside = shown !== null && find("main").contains(document.activeElement);
      shown = state;
      complain("");
      show();
      if (inside && !document.activeElement.isConnected || document.activeElement === document.body) {
        if (inside) find("next-heading").focus();
      }
    } catch (error) {
      if (mine !== asked) return;
      asked++;
      complain(error.message, error.stateless);
    }
    find("running").hidden = true;
  }

  async function search() {
    find("search").disabled = true;
    find("searched").textContent = "Searching …";
    try {
      found = await ask("search", {}, "POST");
      find("searched").textContent = found.summary;
      if (shown) showJudged();
    } catch (error) {
      find("searched").textContent = error.message;
      find("search").disabled = false;
    }
  }

  function undo() {
    if (!shown || !shown.steps.length) return;
    take(shown.steps.length > 1 ? shown.steps[shown.steps.length - 2].path : "");
  }

  /* The guided tour: one stop at a time; a stop may have a path to walk to, and names what it speaks of. */
  const stops = Array.from(document.querySelectorAll("#tour li"));
  let stop = 0;

  function visit(next, walks = true) {
    stop = Math.max(0, Math.min(stops.length - 1, next));
    stops.forEach((each, index) => { each.hidden = index !== stop; });
    for (const each of document.querySelectorAll(".toured")) each.classList.remove("toured");
    const shownAt = find(stops[stop].dataset.shows);
    if (shownAt) shownAt.classList.add("toured");
    if (walks && stops[stop].dataset.path !== undefined) take(stops[stop].dataset.path);
    find("tour-back").disabled = stop === 0;
    find("tour-next").disabled = stop === stops.length - 1;
    find("tour-at").textContent = `${stop + 1} of ${stops.length}`;
  }

  if (stops.length) {
    find("tour-back").addEventListener("click", () => visit(stop - 1));
    find("tour-next").addEventListener("click", () => visit(stop + 1));
    find("tour-end").addEventListener("click", () => {
      find("tour").remove();
      for (const each of document.querySelectorAll(".toured")) each.classList.remove("toured");
    });
    visit(0, !path());
  }

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !shown || find("main").hidden) return;
    if (event.key === "u") undo();
    else if (/^[1-9]$/.test(event.key) && shown.options[Number(event.key) - 1]) {
      take(shown.options[Number(event.key) - 1].path);
    } else return;
    event.preventDefault();
  });
  find("undo").addEventListener("click", undo);
  find("begin").addEventListener("click", () => take(""));
  find("search").addEventListener("click", search);
  addEventListener("hashchange", go);
  go();
})();
