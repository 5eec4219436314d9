// A table being played: the frame that all games share. Whole view in, page out; a game's own module draws what is its own.

import { html, nothing, render } from "./vendor/lit.js";
import { bar, chips } from "./bar.js";
import { dock } from "./dock.js";
import { Order, hand } from "./hand.js";
import { forget, games, keep, load } from "./house.js";
import { Known } from "./known.js";
import { Live } from "./live.js";
import { fly, places, slide } from "./motion.js";
import { room } from "./room.js";
import { areas, clockwise, tile } from "./seats.js";
import { moves, once, setting } from "./settings.js";
import { sheet } from "./sheets.js";
import { call, play } from "./sound.js";
import { News } from "./news.js";
import { generic } from "./generic.js";

const OWN = { michigan_rummy: 1, contract_rummy: 1, rummy: 1, thai_rummy: 1 };
const SHOWN = new Set(["take", "meld", "discard", "lay_off", "go_down", "go_out", "extend", "swap"]); // moves that are seen moving
const SURE_MS = 6000; // so long a press may be confirmed
const MESSAGE_MS = 6000;
const UNSEEN_MS = 500; // a page that nobody sees gets no frames: it is drawn all the same, to call its player
const AGAIN_MS = 2000; // until the catalogue is asked for again

/** A game's own table: its module, or the one that fits every game. */
export async function tableOf(name) {
  if (!Object.hasOwn(OWN, name)) return generic;
  const own = await import(`./${name}.js`).then((module) => module.default, () => null);
  if (!own) return generic; // it could not be loaded: the game can be played all the same
  if (own.css && !document.querySelector(`link[href="/web/${own.css}"]`)) {
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", href: `/web/${own.css}` });
    await new Promise((done) => { link.onload = link.onerror = done; document.head.append(link); });
  }
  return { ...generic, ...own };
}

export class Play extends Known {
  /** @param {HTMLElement} root @param {string} id @param {(path: string) => void} go */
  constructor(root, id, go) {
    super();
    this.root = root;
    this.id = id;
    this.go = go; // to another page
    this.order = new Order();
    this.news = new News(this);
    this.sheet = null; // what lies over the table: {kind, …}
    this.message = null; // said last, in place of the dock's status
    this.sure = null; // words of the button that waits for a second press
    this.lit = new Set(); // seats whose melds have just grown
    this.own = {}; // what a game's table remembers for this hand
    this.dragged = null;
    this.callout = null; // the newcomer's card that is shown
    this.onKey = (event) => this.key(event);
    this.onSize = () => this.redraw();
    document.addEventListener("keydown", this.onKey);
    addEventListener("resize", this.onSize);
    this.clock = setInterval(() => this.ticking() && this.redraw(), 1000);
    this.live = new Live(id, () => this.redraw());
    this.live.said = (words) => this.say(words);
    this.redraw();
  }

  end() {
    document.removeEventListener("keydown", this.onKey);
    removeEventListener("resize", this.onSize);
    clearInterval(this.clock);
    this.live.end();
    document.title = "Faircut";
    icon(false);
  }

  // -- drawing ----------------------------------------------------------------------------------------------------------

  redraw() {
    if (this.drawing) return;
    this.drawing = true;
    let drawn = false;
    const draw = () => {
      if (drawn) return;
      drawn = true;
      this.drawing = false;
      if (!this.live.ended) this.draw();
    };
    requestAnimationFrame(draw);
    setTimeout(draw, document.hidden ? 0 : UNSEEN_MS);
  }

  draw() {
    if (this.table && this.shownGame !== this.table.game) return void this.fetchGame();
    const before = places(this.root);
    if (this.view) {
      this.follow();
      this.point();
    }
    this.drawn = this.live.ages;
    render(this.page(), this.root);
    if (this.view) this.moved(before);
  }

  async fetchGame() {
    if (this.fetching) return;
    this.fetching = true;
    try {
      const { game } = this.table;
      this.card = (await games()).get(game) ?? null;
      this.live.keyless = this.card?.keyless ?? [];
      this.game = await tableOf(game);
      this.shownGame = game;
    } catch {
      await new Promise((done) => setTimeout(done, AGAIN_MS)); // the house does not answer
    } finally {
      this.fetching = false;
      this.redraw();
    }
  }

  /** What a new frame means for what the page remembers. */
  follow() {
    const { view } = this, deal = `${this.id}.${view.deals ?? 0}`;
    if (this.deal !== deal) {
      if (this.deal) this.own = {};
      const first = !this.deal;
      this.deal = deal;
      this.sheet = this.sheet?.kind === "result" ? null : this.sheet;
      this.introduce(!first || view.moves === 0);
    }
    this.order.follow(view.hand ?? [], deal, load(`faircut.order.${this.id}`, null)?.[deal]);
    this.news.follow();
    const turn = this.myTurn && !this.over && !this.scored;
    if (turn && !this.wasTurn) {
      play("turn");
      call(this.card?.title ?? "Faircut");
    }
    this.wasTurn = turn;
    document.title = `${this.over ? "" : turn ? "● Your turn · " : ""}${this.card?.title ?? "Faircut"}`;
    icon(turn);
    const ended = this.scored ? `${deal}.${this.over}` : null;
    if (ended && this.ended !== ended) this.ending();
    this.ended = ended;
    this.game.follow?.(this);
  }

  /** The move that newcomers miss, pointed at once a game. */
  point() {
    const hint = this.intro || this.sheet || !this.myTurn ? null : this.game.yourMove?.(this) ?? null;
    if (!hint) this.callout = null;
    else if (once(`move.${this.table.game}`)) this.callout = hint;
  }

  ending() {
    if (this.ended === undefined && !this.over && this.view.ready?.[this.you]) return;
    if (this.over) forget(...["cut", "order", "drawing"].map((what) => `faircut.${what}.${this.id}`));
    if (this.over) play(this.view.winners?.includes(this.you) ? "win" : "end");
    const deal = this.deal;
    setTimeout(() => {
      if (this.scored && this.deal === deal) this.open({ kind: "result" });
    }, moves() && this.ended !== undefined ? 900 : 0);
  }

  introduce(fresh) {
    if (this.table.phase !== "playing") return;
    if (this.you !== null && once(`how.${this.table.game}`)) this.open({ kind: "how" });
    else if (fresh && setting("intro") && this.helper("intro")) {
      this.intro = this.deal;
      setTimeout(() => { this.intro = null; this.redraw(); }, 3000);
    }
  }

  page() {
    const { table, live } = this;
    if (live.fault) return html`<main class="alone"><h1>No such table</h1><p>${live.fault}</p><p><a href="/" class="button">To the front door</a></p></main>`;
    if (!table || this.shownGame !== table.game) return html`<main class="alone"><p class="loading" role="status">Opening the table …</p></main>`;
    if (!this.view) return html`${room(this)}${sheet(this)}`;
    const places = clockwise(this), n = places.length;
    return html`<div class=${`play ${this.game.layout} game-${table.game} n-${n}${this.you === null ? " watching" : ""}`}>
      ${bar(this)}
      ${live.connected ? nothing : html`<p class="banner" role="status">Connection lost${this.narrow ? "" : ". What you see is the last that is certain"}; trying again …</p>`}
      <main class="table" .style=${`--seats:${n}`}>
        ${this.narrow ? chips(this, places) : nothing}
        <div class="board" .style=${`grid-template-areas:${areas(this.game.layout, n)}`}>
          <section class="mid" aria-label="Stock and pile">${this.game.centre(this)}</section>
          ${(this.narrow ? [...places.keys()].slice(1).concat(0) : [...places.keys()]).map((place) => tile(this, places[place], place))}
        </div>
        ${this.intro === this.deal ? html`<div class="intro" role="status" @click=${() => this.skip()}><div class="leaf">${this.game.intro(this)}<button type="button" class="small" @click=${() => this.skip()}>Go on</button></div></div>` : nothing}
        <div class="toasts" role="status" aria-live="polite">${this.news.toasts.map((words) => html`<p class="toast">${words}<button type="button" aria-label="Dismiss" @click=${() => this.news.drop(words)}>×</button></p>`)}</div>
      </main>
      ${this.game.tray?.(this) ?? nothing}
      ${this.callout ? html`<aside class="callout" role="status"><h2>${this.callout.words}</h2><p>${this.callout.hint}</p><button type="button" class="small filled" @click=${() => { this.callout = null; this.redraw(); }}>Got it</button></aside>` : nothing}
      ${this.you === null ? this.watcher() : html`<footer class="own">${hand(this)}${dock(this, this.game.dock(this))}</footer>`}
      ${sheet(this)}
    </div>`;
  }

  watcher() {
    const { covered } = this.table;
    return html`<footer class="own"><div class="dock"><p class="status" role="status" aria-live="polite">${this.message
      ?? (covered !== null ? "A bot plays your seat." : `You are watching. ${this.waiting()}`)}</p>
      ${covered !== null && !this.over ? html`<div class="big"><button type="button" class="left filled" @click=${() => this.live.command("return")}><span>Take my seat back</span></button></div>` : nothing}
      ${this.over || this.scored ? html`<div class="more"><button type="button" class="extra" @click=${() => this.open({ kind: "result" })}><span>Show the score</span></button></div>` : nothing}</div></footer>`;
  }

  /** What lay elsewhere before this drawing slides to where it is now. */
  moved(before) {
    /** @type {HTMLElement | null} */
    const chip = this.narrow ? this.root.querySelector(".chip.turn:not(.mine)") : null;
    if (chip && chip.dataset.chip !== this.chip) showChip(chip);
    this.chip = chip ? chip.dataset.chip : null;
    const { fresh } = this.live, first = this.drawnSeen === undefined, many = fresh.filter((line) => SHOWN.has(line.kind)).length > 6;
    const news = this.drawnSeen !== this.live.seen;
    this.drawnSeen = this.live.seen;
    this.live.fresh = [];
    if (first || many || document.hidden) return;
    const stock = this.root.querySelector("[data-stock]");
    const shown = (node) => (node?.getClientRects().length ? node : null);
    const seatOf = (seat) => shown(this.root.querySelector(`[data-seat="${seat}"] header`)) ?? shown(this.root.querySelector(`[data-chip="${seat}"]`));
    const mover = fresh.findLast((line) => line.seat !== null)?.seat;
    slide(this.root, before, (card, node) => (!news ? null : node.closest(".hand") ? stock : mover === undefined ? null : seatOf(mover)));
    if (!news) return;
    for (const line of fresh) {
      if (line.kind === "draw" && line.seat !== this.you) fly(stock, seatOf(line.seat));
    }
    if (fresh.some((line) => line.seat !== null)) play("card");
  }

  // -- doing ------------------------------------------------------------------------------------------------------------

  /** Tell the player something in the status line. */
  say(words) {
    this.message = words;
    clearTimeout(this.saying);
    this.saying = setTimeout(() => { this.message = null; this.redraw(); }, MESSAGE_MS);
    this.redraw();
  }

  quiet() {
    clearTimeout(this.saying);
    this.message = null;
  }

  /** Press a button: send what it offers, or say why not. What has a caution is asked twice. */
  async press(button) {
    if (this.live.sending) return;
    if (button.why && this.live.asking) button = await this.newer(button);
    if (button.why) return this.say(button.why);
    if (button.act) {
      this.quiet();
      button.act();
      return this.redraw();
    }
    this.offer(button.offer, button.words);
  }

  /** The button of the same place once the house has answered what the cards picked last can do. */
  async newer(button) {
    await this.live.asking;
    const { left, right, auto, more } = this.game.dock(this);
    const same = button.key ? (b) => b.key === button.key : (b) => b.words === button.words;
    return [left, right, auto, ...(more ?? [])].find((b) => b && same(b)) ?? button;
  }

  /** Do what an offer says. One that is older than the picks is looked for among the newer ones first. */
  async offer(offer, words = offer.words) {
    if (this.live.sending) return;
    if (offer.stale || this.drawn !== this.live.ages) { // pressed before the page could show what came
      const { seen } = this.live;
      await this.live.asking;
      const same = [...this.offers, ...this.live.free].find((other) => ["kind", "words", "meld", "end", "at"].every((name) => other[name] === offer[name]));
      if (seen !== this.live.seen || !same || same.stale) return this.say("The table has moved on: look again.");
      offer = same;
    }
    if (!offer.move) return this.say(offer.why);
    if (offer.caution && this.game.cautions(this, offer) && !this.certain(words, offer.caution)) return;
    this.sure = null;
    this.quiet();
    this.news.clear();
    this.send(offer.move);
  }

  /** Whether a button is pressed for the second time; else it says why it asks. */
  certain(words, caution) {
    const sure = this.sure === words;
    clearTimeout(this.unsure);
    this.sure = sure ? null : words;
    if (sure) return true;
    this.say(caution);
    this.unsure = setTimeout(() => { this.sure = null; this.redraw(); }, SURE_MS);
    return false;
  }

  send(move) { return this.live.send(move); }

  /** Pick a card of the hand, or put it back. */
  toggle(card) {
    this.quiet();
    this.sure = null;
    const picked = this.picked.includes(card) ? this.picked.filter((other) => other !== card) : [...this.picked, card];
    if (this.game.picking?.(this, card, picked)) return this.redraw();
    this.live.pick(picked);
  }

  pick(cards) { this.live.pick(cards); }

  reset() {
    this.quiet();
    this.sure = null;
    this.game.cancel?.(this);
    this.live.pick([]);
  }

  sort() {
    this.order.sort();
    this.keepOrder();
    this.redraw();
  }

  /** Move the picked cards by a place. */
  move(by) {
    if (!this.picked.length) return this.say("Pick a card of your hand first: then it can be moved.");
    const cards = this.order.cards.filter((card) => this.picked.includes(card));
    for (const card of by > 0 ? cards.reverse() : cards) this.order.shift(card, by);
    this.keepOrder();
    this.redraw();
  }

  keepOrder() { keep(`faircut.order.${this.id}`, { [this.deal]: this.order.cards }); }

  focusCard(card) {
    /** @type {() => HTMLElement | null} */
    const found = () => this.root.querySelector(`.hand [data-card="${CSS.escape(card)}"]`);
    requestAnimationFrame(() => requestAnimationFrame(() => found()?.focus()));
  }

  open(what) { this.sheet = what; this.redraw(); }

  /** Close what lies over the table; of one kind only, where another may lie there by now. */
  shut(kind = this.sheet?.kind) {
    if (this.sheet?.kind === kind) this.sheet = null;
    this.redraw();
  }

  skip() { this.intro = null; this.redraw(); }

  cover(seat) { return this.live.command("cover", { seat, level: "medium" }); }

  // -- keys -------------------------------------------------------------------------------------------------------------

  key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !this.view) return;
    if (event.target.closest?.("input, textarea, select, dialog[open]")) return;
    if (event.key === "Escape") {
      if (this.intro) this.skip();
      this.folded = false;
      return this.reset();
    }
    if (!setting("keys") || this.you === null) return;
    const letter = event.key.toUpperCase();
    if (letter === "O") return this.sort();
    const shown = this.game.dock(this);
    const found = [shown.left, shown.right, shown.auto, ...(shown.more ?? [])].find((b) => b?.key === letter);
    if (!found) return;
    event.preventDefault();
    this.press(found);
  }
}

/** Slide the row of chips, and nothing else, until a chip stands clear of the pinned one. @param {HTMLElement} chip */
function showChip(chip) {
  const row = chip.parentElement, pinned = row.querySelector(".mine"), { left, width } = chip.getBoundingClientRect();
  const room = row.clientWidth - (pinned?.getBoundingClientRect().width ?? 0);
  row.scrollLeft += left - row.getBoundingClientRect().left - (room - width) / 2;
}

function icon(turn) {
  const link = document.querySelector("link[rel=icon]");
  const wanted = turn ? "/web/icon-turn.svg" : "/web/icon.svg";
  if (link && link.getAttribute("href") !== wanted) link.setAttribute("href", wanted);
}
