/* The time line of a history. Columns are unpacked once; then only what is seen is drawn and listed. */
(async function () {
  const NONE = 0xFFFFFFFF, LANE = 22, LANES = 20, TOP = 20, LISTED = 60, NAME = 90, TICK = 90, OK = 0, FAIL = 1, INFO = 2;
  const layout = JSON.parse(find("layout").textContent);
  const n = layout.operations;
  if (!n) { find("place").textContent = "No operations."; return; }

  function decoded(packed) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(packed);
    const letters = atob(packed);
    const found = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) found[i] = letters.charCodeAt(i);
    return found;
  }

  const bytes = decoded(find("columns").textContent);
  find("columns").remove();
  const raw = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
  const columns = {};
  layout.columns.forEach((name, at) => { columns[name] = new Uint32Array(raw, at * 4 * n, n); });
  const texts = layout.texts + layout.keys + layout.processes;
  const begins = new Uint32Array(texts + 1);
  const lengths = new Uint32Array(raw, layout.columns.length * 4 * n, texts);
  for (let i = 0; i < texts; i++) begins[i + 1] = begins[i] + lengths[i];
  const letters = new Uint8Array(raw, (layout.columns.length * n + texts) * 4);
  const decoder = new TextDecoder();
  const text = (at) => decoder.decode(letters.subarray(begins[at], begins[at + 1]));
  const keyText = (key) => text(layout.texts + key);
  const processText = (process) => text(layout.texts + layout.keys + process);

  /* Calls are differences. A bar ends at its return; without one, at the next call of its process, or never. */
  const { call, span, process, f, status, key, argument, result, line } = columns;
  const end = new Float64Array(n);
  const following = new Float64Array(layout.processes).fill(layout.events);
  for (let i = 1; i < n; i++) call[i] += call[i - 1];
  for (let i = n - 1; i >= 0; i--) {
    end[i] = span[i] === NONE ? following[process[i]] : call[i] + span[i];
    following[process[i]] = call[i];
  }
  const marked = new Map();
  layout.evidence.forEach((each) => each.operations.forEach((op) => marked.set(op, op === each.failed)));

  let lanes = [];   // the numbers of each process's operations, in order
  let names = [];
  let wanted = -1;  // a key; -1: all of them
  let left = 0, right = layout.events, top = 0;

  /* Two passes: how many operations each process has, then which. */
  function arrange() {
    const counts = new Uint32Array(layout.processes);
    for (let i = 0; i < n; i++) if (wanted < 0 || key[i] === wanted) counts[process[i]]++;
    const own = [];
    lanes = [];
    names = [];
    counts.forEach((count, number) => {
      if (!count) return;
      own[number] = { at: 0, numbers: new Uint32Array(count) };
      lanes.push(own[number].numbers);
      names.push(processText(number));
    });
    for (let i = 0; i < n; i++) {
      if (wanted >= 0 && key[i] !== wanted) continue;
      const lane = own[process[i]];
      lane.numbers[lane.at++] = i;
    }
    top = Math.min(top, Math.max(0, lanes.length - LANES));
  }

  /* The first of a lane's operations of which a number that grows is at least so large. */
  function first(lane, numbers, least, from) {
    let low = from || 0, high = lane.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[lane[middle]] < least) low = middle + 1; else high = middle;
    }
    return low;
  }

  function told(i) {
    const asked = text(argument[i]);
    const name = layout.fs[f[i]] + (asked ? " " + asked : "");
    if (status[i] === INFO || span[i] === NONE) return name + " ?";
    if (status[i] === FAIL) return name + " refused";
    const reads = ["read", "get", "scan", "txn"].includes(layout.fs[f[i]]);
    return reads && result[i] !== NONE ? name + " -> " + text(result[i]) : name;
  }

  /* The least 1, 2 or 5 times a power of ten that is no less: whole events, as there are no parts of one. */
  function rounded(least) {
    const power = 10 ** Math.max(0, Math.floor(Math.log10(least)));
    return power * ([1, 2, 5].find((each) => each * power >= least) || 10);
  }

  const canvas = find("drawing");
  const pen = canvas.getContext("2d");
  let queued = false;
  function draw() { if (!queued) { queued = true; requestAnimationFrame(paint); } }

  function paint() {
    queued = false;
    const style = getComputedStyle(document.documentElement);
    const ink = (name) => style.getPropertyValue("--" + name).trim();
    const width = find("area").clientWidth;
    const seen = lanes.slice(top, top + LANES);
    const height = TOP + Math.max(1, seen.length) * LANE;
    const scale = devicePixelRatio || 1;
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = "12px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
    pen.textBaseline = "middle";
    const room = Math.max(50, width - NAME);
    const x = (event) => NAME + (event - left) / (right - left) * room;
    const event = (at) => left + (at - NAME) / room * (right - left);
    const step = rounded((right - left) * TICK / room);
    const ticks = [];
    for (let at = Math.ceil(left / step) * step; at <= right; at += step) {
      const told = at.toLocaleString("en"), where = x(at);
      ticks.push(at);
      pen.fillStyle = ink("line");
      pen.fillRect(where, 0, 1, height);
      pen.fillStyle = ink("dim");
      if (where + 4 + pen.measureText(told).width <= width) pen.fillText(told, where + 4, TOP / 2);
    }
    canvas.dataset.ticks = ticks.join(" ");
    const colours = { read: ink("c0"), write: ink("c2"), refused: ink("dim"), open: ink("warn") };
    function bar(i, y, colour) {
      const from = Math.max(NAME, x(call[i]));
      const to = Math.min(width + 2, Math.max(x(end[i]), x(call[i]) + 1.5));
      if (to <= NAME || from > width) return;
      pen.fillStyle = colour;
      if (span[i] === NONE) {
        pen.globalAlpha = 0.25;
        pen.fillRect(from, y + 3, to - from, LANE - 6);
        pen.globalAlpha = 1;
        pen.strokeStyle = colour;
        pen.setLineDash([4, 3]);
        pen.strokeRect(from + 0.5, y + 3.5, to - from, LANE - 7);
        pen.setLineDash([]);
      } else pen.fillRect(from, y + 3, to - from, LANE - 6);
      if (to - from > 60) {
        pen.save();
        pen.beginPath();
        pen.rect(from, y, to - from - 4, LANE);
        pen.clip();
        pen.fillStyle = span[i] === NONE ? ink("text") : ink("on-client");
        pen.fillText(told(i), from + 6, y + LANE / 2);
        pen.restore();
      }
    }
    seen.forEach((lane, at) => {
      const y = TOP + at * LANE;
      pen.fillStyle = ink("text");
      pen.fillText(names[top + at].slice(0, 11), 4, y + LANE / 2);
      let next = first(lane, end, left);
      while (next < lane.length && call[lane[next]] <= right) {
        const i = lane[next];
        const reads = ["read", "get", "scan"].includes(layout.fs[f[i]]);
        bar(i, y, status[i] === FAIL ? colours.refused : span[i] === NONE ? colours.open
          : reads ? colours.read : colours.write);
        /* Whatever lies in the same pixel is not drawn again. */
        next = x(end[i]) - x(call[i]) >= 1.5 ? next + 1 : Math.max(next + 1, first(lane, end, event(x(call[i]) + 1.5), next));
      }
    });
    for (const i of marked.keys()) {
      if (wanted >= 0 && key[i] !== wanted) continue;
      const at = lanes.findIndex((lane) => lane[first(lane, call, call[i])] === i);
      if (at < top || at >= top + LANES) continue;
      bar(i, TOP + (at - top) * LANE, ink("bad"));
      if (marked.get(i)) {
        pen.strokeStyle = ink("text");
        pen.lineWidth = 2;
        pen.strokeRect(Math.max(NAME, x(call[i])), TOP + (at - top) * LANE + 3, Math.max(3, x(end[i]) - x(call[i])), LANE - 6);
        pen.lineWidth = 1;
      }
    }
    list(seen);
  }

  function list(seen) {
    let count = 0;
    const found = [];
    for (const lane of seen) {
      const from = first(lane, end, left);
      const until = first(lane, call, right, from);
      count += Math.max(0, until - from);
      for (let at = from; at < until && at < from + LISTED; at++) found.push(lane[at]);
    }
    found.sort((a, b) => a - b);
    const body = find("listed");
    body.replaceChildren(...found.slice(0, LISTED).map((i) => {
      const row = make("tr", marked.has(i) ? "surprise" : "");
      const where = (line[i] + call[i]) >>> 0;
      const until = span[i] === NONE ? "never" : (call[i] + span[i]).toLocaleString("en");
      const cells = [where ? String(where) : "", processText(process[i]), keyText(key[i]),
        told(i) + (marked.has(i) ? " (in a non-linearizable sub-history)" : ""),
        call[i].toLocaleString("en") + " to " + until];
      row.append(...cells.map((content) => make("td", "mono", content)));
      return row;
    }));
    find("count").textContent = found.length < count || count > LISTED
      ? "The first " + Math.min(LISTED, found.length) + " of " + count.toLocaleString("en") + "; zoom in to see others."
      : count.toLocaleString("en");
    const shown = "Events " + Math.round(left).toLocaleString("en") + " to " + Math.round(right).toLocaleString("en")
      + " of " + layout.events.toLocaleString("en");
    find("place").textContent = shown + (lanes.length > LANES ? "; lanes " + (top + 1) + " to "
      + Math.min(lanes.length, top + LANES) + " of " + lanes.length.toLocaleString("en") : "") + ".";
  }

  function look(from, to) {
    const wide = Math.min(layout.events, Math.max(8, to - from));
    left = Math.max(0, Math.min(layout.events - wide, from));
    right = left + wide;
    draw();
  }
  const zoom = (by, at) => look(at - (at - left) * by, at + (right - at) * by);
  const move = (by) => look(left + (right - left) * by, right + (right - left) * by);
  function lane(by) {
    top = Math.max(0, Math.min(Math.max(0, lanes.length - LANES), top + by));
    draw();
  }

  function choose(number) {
    wanted = number;
    arrange();
    draw();
  }

  function sought() {
    const name = find("key").value.trim();
    if (!name) return choose(-1);
    for (let number = 0; number < layout.keys; number++) {
      const shown = keyText(number);
      if (shown === name || shown === JSON.stringify(name)) return choose(number);
    }
    find("place").textContent = "No key is " + name + ".";
  }

  function reveal(number) {
    const each = layout.evidence[number];
    find("key").value = each.key < 0 ? "" : keyText(each.key);
    choose(each.key);
    const from = Math.min(...each.operations.map((op) => call[op]));
    const to = Math.max(...each.operations.map((op) => span[op] === NONE ? call[op] + 1 : end[op]));
    const at = lanes.findIndex((own) => own.includes(each.operations[0]));
    top = Math.max(0, Math.min(at - 2, lanes.length - LANES));
    const room = Math.max(4, (to - from) * 0.15);
    look(from - room, to + room);
    find("area").scrollIntoView({ block: "center" });
    find("area").focus({ preventScroll: true });
  }

  const middle = () => (left + right) / 2;
  const keys = {
    ArrowLeft: () => move(-0.25), ArrowRight: () => move(0.25), ArrowUp: () => lane(-1), ArrowDown: () => lane(1),
    PageUp: () => lane(-LANES), PageDown: () => lane(LANES), "+": () => zoom(0.5, middle()), "=": () => zoom(0.5, middle()),
    "-": () => zoom(2, middle()), Home: () => look(0, right - left),
    End: () => look(layout.events - (right - left), layout.events), 0: () => look(0, layout.events),
  };
  find("area").addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  find("area").addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.shiftKey) return;  // the page itself is scrolled
    event.preventDefault();
    const area = canvas.getBoundingClientRect();
    const at = left + (event.clientX - area.left - NAME) / Math.max(50, area.width - NAME) * (right - left);
    if (event.ctrlKey) zoom(event.deltaY > 0 ? 1.25 : 0.8, at); else move(event.deltaY > 0 ? 0.1 : -0.1);
  }, { passive: false });
  let dragged = null;
  canvas.addEventListener("pointerdown", (event) => {
    dragged = { at: event.clientX, left: left, right: right };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!dragged) return;
    const by = (dragged.at - event.clientX) / Math.max(50, canvas.clientWidth - NAME) * (dragged.right - dragged.left);
    look(dragged.left + by, dragged.right + by);
  });
  canvas.addEventListener("pointerup", () => { dragged = null; });
  canvas.addEventListener("dblclick", () => zoom(0.5, middle()));
  const actions = {
    earlier: keys.ArrowLeft, later: keys.ArrowRight, closer: keys["+"], wider: keys["-"], above: keys.PageUp,
    below: keys.PageDown, everything: keys["0"],
  };
  for (const [id, act] of Object.entries(actions)) find(id).addEventListener("click", act);
  find("key").addEventListener("change", sought);
  for (const each of document.querySelectorAll("[data-evidence]")) {
    each.addEventListener("click", () => reveal(Number(each.dataset.evidence)));
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  new ResizeObserver(draw).observe(find("area"));
  arrange();
  find("controls").hidden = false;

  paint();
  document.documentElement.dataset.drawn = String(Math.round(performance.now()));
})();
