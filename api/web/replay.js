// A finished table, event by event with all hands open: stepped, played and jumped through, with its log, its chart and
// the checks of its record beside it.

import { html, nothing, render } from "./vendor/lit.js";
import { check, checks } from "./check.js";
import { figure, lying, sorted } from "./cards.js";
import { chart } from "./chart.js";
import { ending } from "./choices.js";
import { unfold } from "./frames.js";
import { ask, games } from "./house.js";
import { places, slide } from "./motion.js";
import { areas, tile } from "./seats.js";
import { stock } from "./generic.js";

/** @type {[string, number][]} */
const SPEEDS = [["Slow", 2400], ["Normal", 1200], ["Fast", 500], ["Very fast", 120]];
const PANELS = [["log", "Log"], ["chart", "Chart"], ["check", "Check"]];
const URL_MS = 200; // the address follows a moment later: browsers let it change only so often
const ICONS = {
  first: "M5 5h2.4v14H5zM17.6 5 20 7l-6 5 6 5-2.4 2-8.400-7z", back: "M15 4.500 17.500 6.700 11.200 12l6.300 5.300-2.500 2.200L6 12z",
  play: "M7 4v16l13-8z", pause: "M6 4h4.500v16H6zM13.500 4H18v16h-4.500z",
  on: "M9 4.500 6.500 6.700 12.800 12l-6.300 5.300L9 19.500 18 12z", last: "M16.600 5H19v14h-2.400zM6.400 5 4 7l6 5-6 5 2.400 2 8.400-7z",
};

/** The page's own style sheet, once. */
let styled = null;
function style() {
  styled ??= new Promise((done) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/web/replay.css" });
    link.onload = link.onerror = done;
    document.head.append(link);
  });
  return styled;
}

export class Replay {
  /** @param {HTMLElement} root @param {string} id @param {(path: string) => void} go */
  constructor(root, id, go) {
    this.root = root;
    this.id = id;
    this.go = go;
    this.rows = []; // events by number, each with the whole table after it
    this.n = 0; // the event that is shown; 0 before there is one
    this.info = null; // how the table ended, and for whom
    this.marks = []; // where hands are dealt and end
    this.asked = new Map(); // blocks that are on their way or here
    this.panel = this.narrow ? "table" : "log";
    this.speed = 1;
    this.playing = 0;
    this.fault = null;
    this.report = this.checking = null;
    this.log = document.createElement("ol");
    this.log.className = "log";
    this.log.tabIndex = 0;
    this.log.setAttribute("aria-label", "Log: press a line to go there");
    this.log.addEventListener("click", (event) => this.follow(event));
    this.onKey = (event) => this.key(event);
    this.onSize = () => this.draw();
    document.addEventListener("keydown", this.onKey);
    addEventListener("resize", this.onSize);
    this.open();
  }

  end() {
    this.ended = true;
    this.pause();
    clearTimeout(this.addressing);
    document.removeEventListener("keydown", this.onKey);
    removeEventListener("resize", this.onSize);
    document.title = "Faircut";
  }

  // -- what is known ----------------------------------------------------------------------------------------------------

  get row() { return this.rows[this.n]; }
  get table() { return this.row.table; }
  get view() { return this.table.view ?? {}; }
  get total() { return this.info.events; }
  get narrow() { return innerWidth < 640 || (innerHeight < 500 && innerWidth < 1000); }

  // What a tile asks of its table: nobody plays here, so nothing is offered.
  you = null;
  offers = [];
  picked = [];
  lit = new Set();
  game = {};
  mayCover() { return false; }
  turning(seat) { return this.table.phase === "playing" && this.table.deciding.some((asked) => asked.seat === seat && asked.waits); }
  name(seat) { return this.table.seats[seat]?.name ?? `Seat ${seat + 1}`; }
  meldsOf(seat) { return (this.view.melds ?? []).filter((meld) => meld.owner === seat); }
  isNew(card) { return this.news.has(card); }

  figures(seat) {
    const sitter = this.table.seats[seat], cards = this.table.hands?.[seat];
    const badge = sitter?.cover ? "bot plays" : sitter?.left ? "away" : this.view.phase === "scored" && this.view.ready?.[seat] ? "ready" : null;
    return { count: cards?.length ?? null, score: this.view.totals?.[seat] ?? null, hand: null, badge, meter: null, extra: this.hand(seat, cards) };
  }

  /** A seat's cards, all in one row. */
  hand(seat, cards) {
    if (!cards) return nothing;
    const label = `${this.name(seat)} holds ${cards.length} ${cards.length === 1 ? "card" : "cards"}`;
    return html`<div class="open" role="group" aria-label=${label}><div class="row-of" .style=${`--n:${cards.length}`}>
      ${sorted(cards, "suit").map((card) => lying(card, { kind: this.came.has(card) ? "came" : "" }))}</div></div>`;
  }

  /** Cards that lie where they did not lie before this event: in melds, in hands. A deal is news as a whole. */
  freshly() {
    const before = this.rows[this.n - 1]?.table, now = this.table;
    this.news = this.came = new Set();
    if (!before?.hands || this.row.lines.some((line) => line.kind === "dealt")) return;
    const melded = (table) => (table.view?.melds ?? []).flatMap((meld) => meld.cards);
    const old = new Set(melded(before)), held = new Set(before.hands.flat());
    this.news = new Set(melded(now).filter((card) => !old.has(card)));
    this.came = new Set((now.hands ?? []).flat().filter((card) => !held.has(card)));
  }

  // -- fetching ---------------------------------------------------------------------------------------------------------

  async open() {
    this.fault = null;
    this.draw();
    try {
      await style();
      const wanted = Number(/^#([1-9][0-9]{0,6})$/.exec(location.hash)?.[1] ?? 0);
      const [told, found] = await Promise.all([this.load(wanted || 1), games().catch(() => new Map())]);
      if (this.ended) return;
      this.title = found.get(told.replay.game)?.title ?? told.replay.game;
      document.title = `${this.title} · replay · Faircut`;
      this.goTo(wanted || this.marks[0]?.n || 1, false);
      if (location.search === "?check") this.examine();
      await this.all();
    } catch (fault) {
      this.fault = fault;
      if (this.row) this.said = fault.message; // some of it is here
    }
    this.draw();
  }

  /** The block in which event n is. */
  load(n) {
    const first = this.info ? Math.floor((n - 1) / this.block) * this.block + 1 : n;
    if (!this.asked.has(first)) {
      const answer = ask(`/replays/${this.id}.json?from=${first}`).then((told) => {
        this.info = told.replay;
        this.marks = told.marks;
        this.block = told.block;
        this.asked.set(told.first, answer);
        for (const row of unfold(told.events)) this.rows[row.n] = row;
        this.fill();
        return told;
      });
      answer.catch(() => this.asked.delete(first));
      this.asked.set(first, answer);
    }
    return this.asked.get(first);
  }

  /** Everything, one block after another. */
  async all() {
    for (let n = 1; n <= this.total && !this.ended; n += this.block) await this.load(n);
    this.whole = !this.ended;
  }

  // -- going about ------------------------------------------------------------------------------------------------------

  /** Show an event. */
  async goTo(n, told = true) {
    const to = Math.max(1, Math.min(this.total, n)), one = to === this.n + 1;
    this.wanted = to;
    this.said = "";
    try {
      if (!this.rows[to]) await this.load(to);
    } catch (fault) {
      return this.stuck(fault, to);
    }
    if (this.ended || this.wanted !== to) return;
    this.n = to;
    this.freshly();
    this.draw(one);
    if (told) this.address();
  }

  /** What was asked for cannot be had: stay, and say why. */
  stuck(fault, to) {
    if (this.ended || this.wanted !== to) return;
    this.pause();
    this.wanted = this.n;
    this.say(fault.message);
  }

  step(by) { return this.goTo(Math.max(1, Math.min(this.total, (this.wanted ?? this.n) + by))); }

  /** To the deal before or after the shown event. */
  deal(by) {
    const deals = this.marks.filter((mark) => mark.kind === "deal").map((mark) => mark.n);
    const to = by < 0 ? deals.findLast((n) => n < this.n) ?? 1 : deals.find((n) => n > this.n) ?? this.total;
    return this.goTo(to);
  }

  address() {
    clearTimeout(this.addressing);
    this.addressing = setTimeout(() => history.replaceState(history.state, "", `${location.pathname}#${this.n}`), URL_MS);
  }

  pause() {
    clearTimeout(this.playing);
    this.playing = 0;
  }

  play() {
    if (this.playing) {
      this.pause();
      return this.draw();
    }
    if (this.n >= this.total) this.goTo(this.marks[0]?.n ?? 1);
    const next = async () => {
      if (!this.playing) return;
      await this.goTo(this.n + 1);
      while (this.playing && this.n < this.total && this.silent()) await this.goTo(this.n + 1);
      if (this.n >= this.total || !this.playing) {
        this.pause();
        return this.draw();
      }
      this.playing = setTimeout(next, SPEEDS[this.speed][1]);
    };
    this.playing = setTimeout(next, SPEEDS[this.speed][1] / 2);
    this.draw();
  }

  /** Whether the shown event is one of those that nobody sees: a preference, a pass. */
  silent() { return this.row.type === "moved" && !this.row.lines.length; }

  key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !this.row) return;
    const slider = event.target.matches?.("input[type=range]");
    if (!slider && event.target.closest?.("input, textarea, select")) return;
    if (event.key === " " && event.target.closest?.("button, a, summary")) return;
    const does = {
      ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1), Home: () => this.goTo(1), End: () => this.goTo(this.total),
      PageUp: () => this.deal(-1), PageDown: () => this.deal(1), " ": () => this.play(),
    }[event.key];
    if (!does) return;
    event.preventDefault();
    if (event.key !== " ") this.pause();
    does();
  }

  /** A line of the log was pressed. */
  follow(event) {
    const link = event.target.closest("a");
    if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    this.jump(Number(link.hash.slice(1)));
  }

  jump(n) {
    this.pause();
    if (this.narrow && this.panel !== "table") this.panel = "table";
    this.goTo(n);
  }

  say(words) {
    this.said = words;
    this.draw();
  }

  /** Show the checks, and make them. */
  examine() {
    this.show("check");
    check(this);
  }

  show(panel) {
    this.panel = panel;
    this.draw();
  }

  // -- drawing ----------------------------------------------------------------------------------------------------------

  words(row) {
    const named = row.lines.some((line) => line.kind === "drew"); // then nobody needs to hear that some card was drawn
    const said = row.lines.filter((line) => !named || line.kind !== "draw").map((line) => line.words);
    return [row.words, ...said].filter(Boolean).join(" ") + (row.by === "timer" ? " The clock played for it." : "");
  }

  /** The log, as far as it is here. Its marks are set apart from this: it may be long. */
  fill() {
    const lines = this.rows.filter(Boolean).map((row) => html`<li data-n=${row.n} class=${row.lines.some((line) => line.kind === "dealt") ? "deal" : ""}><a href=${`#${row.n}`}>${this.words(row)}</a></li>`);
    render(lines, this.log);
    if (this.row) this.mark();
  }

  mark() {
    /** @type {HTMLElement | null} */
    const now = this.log.querySelector(`[data-n="${this.n}"]`);
    for (const old of this.log.querySelectorAll("[aria-current]")) if (old.parentNode !== now) old.removeAttribute("aria-current");
    if (!now) return;
    now.firstElementChild.setAttribute("aria-current", "step");
    const top = now.offsetTop - this.log.offsetTop;
    if (top < this.log.scrollTop || top + now.offsetHeight > this.log.scrollTop + this.log.clientHeight) {
      this.log.scrollTop = top - this.log.clientHeight / 2;
    }
  }

  draw(one = false) {
    if (this.ended) return;
    const before = one ? places(this.root) : new Map();
    render(this.row ? this.page() : this.nothing(), this.root);
    if (!this.row) return;
    this.mark();
    const pile = this.root.querySelector(".pile");
    if (pile) pile.scrollLeft = pile.scrollWidth;
    this.bring();
    const pack = this.root.querySelector("[data-stock]");
    if (one && this.speed < 3) slide(this.root, before, () => pack);
  }

  /** On a phone: whoever did something comes into view. */
  bring() {
    const board = /** @type {HTMLElement} */ (this.root.querySelector(".board"));
    const node = /** @type {HTMLElement} */ (board?.querySelector(`[data-seat="${this.row.seat}"]`));
    if (!this.narrow || !node || this.brought === this.n) return;
    this.brought = this.n;
    const top = node.offsetTop - board.offsetTop - /** @type {HTMLElement} */ (board.querySelector(".mid")).offsetHeight;
    if (top < board.scrollTop) board.scrollTop = top - 6;
    else board.scrollTop = Math.max(board.scrollTop, node.offsetTop - board.offsetTop + node.offsetHeight - board.clientHeight + 6);
  }

  nothing() {
    if (!this.fault) return html`<main class="alone"><p class="loading" role="status">Opening the replay …</p></main>`;
    const running = this.fault.code === "NO_SUCH_RECORD";
    return html`<main class="alone"><h1>${running ? "Not over yet" : "No replay"}</h1>
      <p>${running ? "A game is replayed here once it has ended and everyone may see it." : this.fault.message}</p>
      <p>${running ? html`<a class="button filled" href=${`/play/${this.id}`}>To the table</a> ` : nothing}
        <button type="button" @click=${() => this.open()}>Look again</button> <a class="button" href="/">To the front door</a></p></main>`;
  }

  page() {
    const n = this.table.seats.length, { narrow } = this;
    const panel = narrow ? this.panel : this.panel === "table" ? "log" : this.panel;
    return html`<div class=${`replay rows n-${n}`} data-panel=${panel}>
      <header class="bar">
        <a class="home" href="/" aria-label="Faircut, to the front door"><svg viewBox="0 0 100 100" aria-hidden="true"><use href="#suit-S"></use></svg></a>
        <h1><span class="title">${this.title}</span> <span class="hand-title">${this.where()}</span></h1>
        ${narrow ? nothing : html`<span class="outcome">${this.outcome()}</span>`}
      </header>
      <div class="tabs" role="group" aria-label="What is shown">${[...(narrow ? [["table", "Table"]] : []), ...PANELS].map(([id, words]) =>
        html`<button type="button" aria-pressed=${String(id === panel)} @click=${() => this.show(id)}>${words}</button>`)}</div>
      ${narrow && panel !== "table" ? nothing : html`<main class="table" tabindex="-1" aria-label="The table with all hands open"><div class="board" .style=${`grid-template-areas:${areas("rows", n)}`}>
        <section class="mid" aria-label="Stock and pile">${this.centre()}</section>
        ${this.table.seats.map((_, seat) => tile(this, seat, seat))}
      </div></main>`}
      ${panel === "table" ? nothing : html`<aside class="side" aria-label=${PANELS.find(([id]) => id === panel)[1]}>${this[panel === "log" ? "logged" : panel === "chart" ? "charted" : "checked"]()}</aside>`}
      ${this.player()}
    </div>`;
  }

  where() {
    const { deals } = this.view;
    if (deals && this.table.phase === "playing") return `Hand ${deals}`;
    return { open: "Before the start", cutting: "The cut", voided: "Voided" }[this.table.phase] ?? "The end";
  }

  outcome() {
    const { places: rank, how } = this.info;
    const best = rank?.flatMap((place, seat) => (place === 1 ? [this.name(seat)] : []));
    return best ? `${best.join(" and ")} won` : ending(how);
  }

  centre() {
    if (!this.table.view) return html`<p class="soft-felt">Nothing has been dealt yet.</p>`;
    const { view } = this;
    return html`${"stock" in view ? stock(this) : nothing}
      ${view.pile ? html`<div class="pile" role="group" tabindex="0" aria-label=${`Discard pile, ${view.pile.length} cards, oldest first`}>
        ${view.pile.map((card) => lying(card))}${view.pile.length ? nothing : html`<span class="card none" aria-hidden="true"></span>`}</div>` : nothing}`;
  }

  player() {
    const { n, total } = this, words = this.words(this.row), deals = this.marks.filter((mark) => mark.kind === "deal");
    const now = deals.findLastIndex((mark) => mark.n <= n);
    const press = (icon, label, act, off = false) => html`<button type="button" class=${icon === "play" || icon === "pause" ? "filled" : ""} aria-label=${label} title=${label} aria-disabled=${off ? "true" : nothing} @click=${() => (off ? this.say(`This is the ${n <= 1 ? "first" : "last"} event.`) : act())}>
      <svg viewBox="0 0 24 24" aria-hidden="true"><path d=${ICONS[icon]}></path></svg></button>`;
    const by = (act) => () => { this.pause(); act(); };
    return html`<footer class="player">
      <p class="now" role="status" aria-live=${this.playing ? "off" : "polite"}>${this.said || words}</p>
      <div class="scrub"><input type="range" min="1" max=${total} .value=${String(n)} aria-label="Event" aria-valuetext=${`Event ${n} of ${total}: ${words}`}
        @input=${(event) => { this.pause(); this.goTo(Number(event.target.value)); }}><output>${n} / ${total}</output></div>
      <div class="keys">
        <div class="steps">${press("first", "To the first event", by(() => this.goTo(1)), n <= 1)}${press("back", "Back", by(() => this.step(-1)), n <= 1)}
        ${press(this.playing ? "pause" : "play", this.playing ? "Pause" : "Play", () => this.play())}
        ${press("on", "Forward", by(() => this.step(1)), n >= total)}${press("last", "To the last event", by(() => this.goTo(total)), n >= total)}</div>
        <select aria-label="Speed" @change=${(event) => { this.speed = Number(event.target.value); }}>${SPEEDS.map(([name], i) => html`<option value=${i} ?selected=${i === this.speed}>${name}</option>`)}</select>
        ${deals.length ? html`<select aria-label="Hand" .value=${String(now)} @change=${(event) => this.jump(deals[Number(event.target.value)]?.n ?? 1)}>
          <option value="-1" ?selected=${now < 0}>Start</option>${deals.map((_, i) => html`<option value=${i} ?selected=${i === now}>Hand ${i + 1}</option>`)}</select>` : nothing}
      </div></footer>`;
  }

  logged() {
    return html`${this.log}${this.whole ? nothing : html`<p class="hint loading-more" role="status">${this.fault ? "The rest could not be fetched." : "Fetching the rest …"}
      ${this.fault ? html`<button type="button" class="small" @click=${() => this.open()}>Again</button>` : nothing}</p>`}`;
  }

  charted() {
    const last = this.rows[this.total], ends = this.marks.filter((mark) => mark.kind === "end" && mark.totals);
    if (!last) return html`<p class="hint" role="status">Fetching the rest …</p>`;
    if (!ends.length) return html`<p class="hint">No hand was played to its end.</p>`;
    const outs = last.table.view?.outs ?? this.rows.filter(Boolean).flatMap((row) => row.lines.filter((line) => line.kind === "hand").map((line) => line.data.out ?? null));
    const name = (seat) => (last.table.seats[seat]?.name ?? "").replace(/ bot\b/, ""); // there is little room
    const drawn = { view: last.table.view, table: last.table, you: null, outs, wentOut: (hand) => outs[hand] ?? null, name };
    return html`${chart(drawn, 360)}
      <div class="scroll" tabindex="0" role="region" aria-label="Totals hand by hand"><table class="scores"><caption class="sr">Totals hand by hand</caption>
        <thead><tr><th scope="col">After</th>${last.table.seats.map((_, seat) => html`<th scope="col"><span class="clip">${name(seat)}</span></th>`)}</tr></thead>
        <tbody>${ends.map((mark, i) => html`<tr class=${mark.n <= this.n ? "past" : ""}><th scope="row"><button type="button" class="small" @click=${() => this.jump(mark.n)}>Hand ${i + 1}</button></th>
          ${mark.totals.map((total) => html`<td>${figure(total)}</td>`)}</tr>`)}</tbody></table></div>`;
  }

  checked() { return checks(this); }
}
