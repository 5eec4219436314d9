// What the page of a table knows: read off the house's frames, asked by everything that draws.

import { generic } from "./generic.js";
import { now } from "./house.js";
import { helper } from "./settings.js";

export class Known {
  /** @type {import("./live.js").Live} */
  live;
  game = generic;
  /** The catalogue's entry of the game. @type {any} */
  card = null;
  /** @type {import("./news.js").News} */
  news;

  get table() { return this.live.table; }
  get view() { return this.live.view; }
  get helps() { return this.live.helps ?? {}; }
  get offers() { return this.live.offers; }
  get picked() { return this.live.picked; }
  get you() { return this.live.you; }
  get narrow() { return innerWidth < 640 || (innerHeight < 500 && innerWidth < 1000); }
  get scored() { return this.view?.phase === "scored" || this.over; }
  get over() { return !["open", "cutting", "playing"].includes(this.table?.phase); }

  /** Whether the table waits for this seat, as far as its viewer may know. */
  turning(seat) {
    const said = this.game.turning?.(this, seat);
    return said ?? this.table.deciding.some((asked) => asked.seat === seat && asked.waits);
  }

  get myTurn() { return this.you !== null && this.turning(this.you); }

  /** What a seat's person or bot is called. */
  name(seat) {
    return this.table?.seats[seat]?.name ?? `Seat ${seat + 1}`;
  }

  /** "You" or a name. */
  who(seat) { return seat === this.you ? "You" : this.name(seat); }

  /** Whether a helper of this game is switched on. */
  helper(id) {
    return helper(this.table.game, id, this.game.helpers.find((row) => row.id === id)?.start ?? true);
  }

  /** The offers of some kinds of move, for the cards picked now. */
  offersOf(...kinds) { return this.offers.filter((offer) => kinds.includes(offer.kind)); }

  /** The offers of some kinds that need no picked card. */
  freeOf(...kinds) { return this.live.free.filter((offer) => kinds.includes(offer.kind)); }

  meldsOf(seat) { return this.game.meldsOf(this, seat); }
  isNew(card) { return this.news.isNew(card); }

  /** What a seat's tile tells in figures: {count, score, hand, badge, tone, meter, extra}. */
  figures(seat) {
    const view = this.view ?? {}, sitter = this.table.seats[seat];
    const badge = sitter?.cover ? "bot plays" : sitter?.left ? "away" : this.live.quiet.includes(seat) ? "quiet"
      : view.phase === "scored" && view.ready?.[seat] ? "ready" : null;
    const plain = { count: view.counts?.[seat] ?? null, score: view.totals?.[seat] ?? null, hand: null, badge, meter: null };
    return { ...plain, ...this.game.figures(this, seat, plain) };
  }

  /** Who went out in each hand that has ended, as far as it is known. */
  get outs() {
    const known = this.live.lines.filter((line) => line.kind === "hand").map((line) => line.data.out ?? null);
    const ended = this.view?.scores?.length ?? known.length; // of the first hands a page loaded late knows no line
    return this.view?.outs ?? [...Array(Math.max(0, ended - known.length)).fill(null), ...known];
  }
  wentOut(hand) { return this.outs[hand] ?? null; }

  /** Marks of the hand's cards: card to {dot, kind, label, extra}. */
  marks() { return this.game.marks(this); }

  /** Whom the table waits for, as a sentence. */
  waiting() {
    if (this.over) return "The game is over.";
    const names = this.table.deciding.filter((asked) => asked.waits && asked.seat !== this.you).map((asked) => this.name(asked.seat));
    if (!names.length) return this.myTurn ? "It is your turn." : "";
    return `Waiting for ${names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0]}.`;
  }

  /** Whether something on the page counts seconds. */
  ticking() { return Boolean(this.table?.due) && !this.over; }

  /** Whole seconds until the table's own clock runs out, or null. */
  secondsLeft() {
    return this.table.due === null ? null : Math.max(0, Math.ceil((this.table.due - now()) / 1000));
  }

  /** Whether the viewer may hand this seat to a bot. */
  mayCover(seat) {
    const sitter = this.table.seats[seat], bots = this.card?.bots.includes(this.table.seats.length);
    return this.table.hosting && bots && sitter.kind === "human" && !sitter.cover && !this.over
      && (sitter.left || this.live.quiet.includes(seat)) && seat !== this.you;
  }
}
