// The plain page: what is on, what was played, and a table to watch. Text from the house is never read as HTML.

const $ = (id) => document.getElementById(id);

function make(tag, attributes = {}, ...inside) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value);
  }
  node.append(...inside);
  return node;
}

async function ask(path, { body, token } = {}) {
  const headers = { accept: "application/json" };
  if (token) headers.authorization = `Bearer ${token}`;
  if (body) headers["content-type"] = "application/json";
  const answer = await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) });
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.detail || answer.statusText);
  return told;
}

function replace(id, ...nodes) {
  // Leave what reads the same alone, so that neither focus nor a screen reader is disturbed.
  const fresh = make("div", {}, ...nodes);
  if ($(id).innerHTML !== fresh.innerHTML) $(id).replaceChildren(...fresh.childNodes);
}

const title = {};
const when = (ms) => new Date(ms).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
const who = (seat) => (seat ? seat.name : "free");
const ended = (how) => ({
  host: "ended by the host", agreed: "ended by agreement", voided: "void: a promised cut did not come", idle: "left lying",
  restored: "closed: the log was an older copy", played: "played", resigned: "resigned", deadline: "out of time",
})[how] || how;

function rows(caption, heads, lines) {
  const wide = (i) => (heads[i] === "Opened" || heads[i] === "Ended" ? { class: "wide" } : {});
  const head = make("thead", {}, make("tr", {}, ...heads.map((h, i) => make("th", { scope: "col", ...wide(i) }, h))));
  const body = make("tbody", {}, ...lines.map((cells) => make("tr", {},
    ...cells.map((cell, i) => make("td", { ...wide(i), "data-head": heads[i] }, cell)))));
  return make("div", { class: "scroll" }, make("table", { class: "stacks" }, make("caption", {}, caption), head, body));
}

// -- the three lists -------------------------------------------------------------------------------------------------

async function tables() {
  const { tables: found } = await ask("/tables?limit=20");
  if (!found.length) return replace("tables-list", make("p", { class: "soft" }, "No table is open just now."));
  replace("tables-list", rows("Open and running", ["Game", "Seats", "State", "Opened", ""], found.map((t) => [
    title[t.game] || t.game, t.seats.map(who).join(", "), t.phase, when(t.opened_at),
    make("button", { type: "button", "data-watch": t.id, "aria-label": `Watch ${t.seats.map(who).join(", ")}` }, "Watch"),
  ])));
}

async function games() {
  const { games: found } = await ask("/games");
  for (const g of found) title[g.name] = g.title;
  replace("games-list", ...found.map((g) => make("article", {},
    make("h3", {}, g.title),
    make("p", { class: "soft" }, `Card game, ${g.seats[0]} to ${g.seats.at(-1)} players`),
    make("p", {}, g.teaser),
    make("p", { class: "soft" }, g.options.map((o) => `${o.title}: ${o.values.length ? o.values.join(" or ")
      : `${o.minimum} to ${o.maximum}`} (${o.default})`).join(" · ")),
    make("p", {}, make("a", { href: `/web/rules.html?game=${g.name}` }, "Rules"), " · ",
      make("a", { href: `/games/${g.name}` }, "Schemas")))));
}

async function replays() {
  const { replays: found } = await ask("/replays?limit=10");
  if (!found.length) return replace("replays-list", make("p", { class: "soft" }, "None yet."));
  replace("replays-list", rows("Latest first", ["Game", "Result", "Ended", ""], found.map((r) => [
    title[r.game] || r.game,
    r.places ? r.seats.map((s, i) => `${r.places[i]}. ${who(s)} ${r.totals[i]}`).join(", ") : ended(r.how),
    when(r.ended_at), make("a", { href: `/replays/${r.id}` }, "Record"),
  ])));
}

async function poll() {
  if (!document.hidden) {
    for (const look of [tables, replays]) {
      try { await look(); } catch { /* the house is away: what stands here stays until it is back */ }
    }
  }
  setTimeout(poll, 3000);
}

// -- watching --------------------------------------------------------------------------------------------------------

let watched = null; // { id, socket, seen, pause, timer }

function watch(id) {
  unwatch();
  watched = { id, seen: null, pause: 250, socket: null, timer: 0 };
  $("watch").hidden = false;
  $("watch-lines").replaceChildren();
  $("watch-title").focus();
  listen(watched);
}

function unwatch() {
  if (!watched) return;
  clearTimeout(watched.timer);
  watched.socket?.close();
  watched = null;
  $("watch").hidden = true;
}

async function listen(mine) {
  const again = () => {
    if (watched !== mine) return;
    clearTimeout(mine.timer);
    mine.timer = setTimeout(listen, mine.pause, mine);
    mine.pause = Math.min(mine.pause * 2, 8000);
  };
  try {
    const { ticket } = await ask(`/tables/${mine.id}/tickets`, { body: {} });
    if (watched !== mine) return;
    const since = mine.seen === null ? "" : `&seen=${mine.seen}`;
    const url = `${location.origin.replace("http", "ws")}/tables/${mine.id}/feed?ticket=${ticket}${since}`;
    mine.socket = new WebSocket(url);
  } catch {
    $("watch-state").textContent = "The house cannot be reached. Trying again …";
    return again();
  }
  mine.socket.addEventListener("message", (event) => {
    mine.pause = 250;
    const frame = JSON.parse(event.data);
    if (watched === mine && frame.type === "state") show(mine, frame);
  });
  mine.socket.addEventListener("close", again);
}

function show(mine, { table, lines, seen }) {
  mine.seen = seen;
  const turn = table.deciding.filter((d) => d.waits).map((d) => table.seats[d.seat].name);
  $("watch-title").textContent = `Watching ${title[table.game] || table.game}`;
  $("watch-state").textContent = table.phase === "playing" && turn.length ? `${turn.join(" and ")} to move`
    : table.how ? `Over: ${ended(table.how)}` : table.phase;
  const view = table.view || {};
  $("watch-seats").tBodies[0].replaceChildren(...table.seats.map((seat, i) => make("tr", {},
    make("th", { scope: "row" }, String(i + 1)), make("td", {}, who(seat)),
    make("td", { class: "figure" }, String(view.counts?.[i] ?? "")),
    make("td", { class: "figure" }, String(view.totals?.[i] ?? "")))));
  for (const line of lines) $("watch-lines").prepend(make("li", {}, line.words));
  while ($("watch-lines").childElementCount > 100) $("watch-lines").lastElementChild.remove();
}

// -- a table of bots -------------------------------------------------------------------------------------------------

async function bots() {
  $("bots").disabled = true;
  try {
    const { token } = await ask("/guests", { body: { name: "Visitor" } });
    const game = Object.keys(title)[0];
    const { table } = await ask("/tables", { body: { game, seats: 3 }, token });
    for (const level of ["easy", "medium", "hard"]) await ask(`/tables/${table.id}/bots`, { body: { level }, token });
    await ask(`/tables/${table.id}/start`, { body: {}, token });
    $("bots-said").textContent = "";
    watch(table.id);
  } catch (fault) {
    $("bots-said").textContent = fault.message;
  }
  $("bots").disabled = false;
}

for (const node of document.querySelectorAll(".here")) node.textContent = location.origin;
$("bots").addEventListener("click", bots);
$("watch-end").addEventListener("click", unwatch);
$("tables-list").addEventListener("click", (event) => {
  const id = event.target.dataset?.watch;
  if (id) watch(id);
});
games().catch(() => {}).then(poll);
