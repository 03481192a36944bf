/* The slider of a counterexample. All text of the trace enters the page as text, never as markup. */
(function () {
  const trace = JSON.parse(find("trace").textContent);
  const steps = trace.steps;
  const rows = Array.from(document.querySelectorAll("tr.step"));
  const slider = find("slider");
  const stores = [new Map(trace.initially)];
  for (const step of steps) {
    const next = new Map(stores[stores.length - 1]);
    for (const [key, , after] of step.changes) {
      if (after === null) next.delete(key); else next.set(key, after);
    }
    stores.push(next);
  }
  let now = steps.length;
  let playing = null;

  /* A key is touched if the step names it. A scan touches no key of its own. */
  function showStore(number) {
    const after = stores[number];
    const before = number ? stores[number - 1] : after;
    const step = number ? steps[number - 1] : null;
    const changed = step ? step.changes.map((change) => change[0]) : [];
    const shown = number ? [[before, "before"], [after, "after"]] : [[after, ""]];
    find("contents").replaceChildren(...storeRows(shown, changed, step && step.key));
    find("is-before").textContent = number ? "before" : "at first";
    find("is-after").hidden = !number;
  }

  function showFacts(number) {
    const list = find("facts");
    list.replaceChildren();
    if (!number) return;
    const step = steps[number - 1];
    const facts = [
      ["client", step.client], ["call", step.call], ["effect", step.effect], ["key", step.key], ["value", step.value],
      ["condition", step.condition], ["reply", step.reply], ["fault", step.fault],
      ["has seen", step.seen.map((each) => "the write of step " + each).join(", ")], ["line", step.at],
    ];
    for (const ended of step.returned) facts.push(["ended", ended]);
    for (const [name, content] of facts) {
      if (!content) continue;
      const shown = make("dd", "mono");
      if (name === "fault") shown.append(make("span", "badge", content));
      else shown.textContent = content;
      list.append(make("dt", "", name), shown);
    }
  }

  function go(number, quiet) {
    now = Math.max(0, Math.min(steps.length, number));
    slider.value = String(now);
    const place = now ? "Step " + now + " of " + steps.length : "At first";
    slider.setAttribute("aria-valuetext", place);
    find("place").textContent = place;
    const step = now ? steps[now - 1] : null;
    const shown = find("step");
    shown.textContent = step ? ": " + step.sentence : ": what the store holds before the first step";
    find("heading").textContent = place;
    find("sentence").textContent = step ? step.sentence : "Before the first step.";
    find("broken").hidden = now !== steps.length;
    rows.forEach((row, index) => {
      row.classList.toggle("now", index + 1 === now);
      row.classList.toggle("future", index + 1 > now);
      const button = row.querySelector("button");
      if (index + 1 === now) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    find("first").disabled = find("back").disabled = now === 0;
    find("last").disabled = find("next").disabled = now === steps.length;
    showFacts(now);
    showStore(now);
    drawArrows();
    if (!quiet) {
      if (now) rows[now - 1].scrollIntoView({ block: "nearest" });
      try {
        history.replaceState(null, "", "#step-" + now);
      } catch (tooOften) { /* some browsers allow only so many in a while; the address is then an older step */ }
    }
  }

  function svg(tag, attributes) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, content] of Object.entries(attributes)) made.setAttribute(name, String(content));
    return made;
  }

  /* Whether an arrow within a lane goes to its left: right of the last one is the text. */
  function bowsLeft(chip) {
    const cell = chip.closest("td");
    const isLane = (other) => Boolean(other && other.classList.contains("lane"));
    return isLane(cell.previousElementSibling) && !isLane(cell.nextElementSibling);
  }

  /* An arrow from the chip of each write to the chip of the read that has seen it. */
  function drawArrows() {
    const area = find("schedule");
    const drawing = find("arrows");
    const table = area.querySelector("table");
    const zero = table.getBoundingClientRect();
    const made = document.createDocumentFragment();  // all is measured before anything is drawn
    drawing.setAttribute("width", String(table.offsetWidth));
    drawing.setAttribute("height", String(table.offsetHeight));
    steps.forEach((step, index) => {
      for (const seen of step.seen) {
        const from = rows[seen - 1].querySelector(".chip");
        const to = rows[index].querySelector(".chip");
        if (!from || !to) continue;
        const a = from.getBoundingClientRect();
        const b = to.getBoundingClientRect();
        const lit = now === index + 1 || now === seen ? " lit" : "";
        const same = Math.abs(a.left + a.right - b.left - b.right) < 4;
        const right = same ? !bowsLeft(from) : b.left + b.right > a.left + a.right;
        const x1 = (right ? a.right : a.left) - zero.left;
        const x2 = (same === right ? b.right : b.left) - zero.left;
        const y1 = (a.top + a.bottom) / 2 - zero.top;
        const y2 = (b.top + b.bottom) / 2 - zero.top;
        const side = right ? 1 : -1;
        const tip = same ? side : -side;
        const out = same ? 26 : Math.max(18, Math.abs(x2 - x1) * 0.5);
        const end = x2 + tip * 7;
        const curve = "M" + x1 + "," + y1 + " C" + (x1 + side * out) + "," + y1 + " " + (end + tip * out) + "," + y2
          + " " + end + "," + y2;
        made.append(svg("path", { d: curve, class: lit.trim() }));
        const corner = (x, y) => x + "," + y;
        const points = [corner(x2, y2), corner(end, y2 - 4.5), corner(end, y2 + 4.5)].join(" ");
        made.append(svg("polygon", { points: points, class: lit.trim() }));
      }
    });
    drawing.replaceChildren(made);
  }

  function stop() {
    if (playing !== null) clearInterval(playing);
    playing = null;
    find("play").textContent = "Play";
  }

  function play() {
    if (playing !== null) return stop();
    if (now === steps.length) go(0);
    playing = setInterval(() => { if (now < steps.length) go(now + 1); if (now === steps.length) stop(); }, 1200);
    find("play").textContent = "Pause";
  }

  function fromAddress() {
    const found = /^#step-(\d{1,6})$/.exec(location.hash);
    return found ? Number(found[1]) : steps.length;
  }

  const moves = {
    ArrowLeft: () => go(now - 1), ArrowRight: () => go(now + 1), k: () => go(now - 1), j: () => go(now + 1),
    Home: () => go(0), End: () => go(steps.length), p: play,
  };
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement && event.key.length > 1;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || typing) return;
    if (!Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    if (event.key !== "p") stop();
    moves[event.key]();
  });
  slider.max = String(steps.length);
  slider.addEventListener("input", () => { stop(); go(Number(slider.value)); });
  rows.forEach((row, index) => row.addEventListener("click", (event) => {
    if (String(getSelection()) || event.target.closest("details")) return;
    stop();
    go(index + 1);
  }));
  find("first").addEventListener("click", () => { stop(); go(0); });
  find("back").addEventListener("click", () => { stop(); go(now - 1); });
  find("next").addEventListener("click", () => { stop(); go(now + 1); });
  find("last").addEventListener("click", () => { stop(); go(steps.length); });
  find("play").addEventListener("click", play);
  const copy = find("copy");
  if (copy && navigator.clipboard) {
    copy.hidden = false;
    copy.addEventListener("click", () => navigator.clipboard.writeText(find("replay").textContent).then(
      () => { copy.textContent = "Copied"; }, () => { copy.textContent = "Select it, and copy"; }));
  }
  addEventListener("hashchange", () => go(fromAddress(), true));
  new ResizeObserver(() => drawArrows()).observe(find("schedule").querySelector("table"));
  document.documentElement.classList.add("scripted");
  find("bar").hidden = false;
  find("panel").hidden = false;
  go(fromAddress(), true);
})();
