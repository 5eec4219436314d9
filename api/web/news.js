// What has just happened, told once: cards that others laid on one's melds, cards laid lately, seats that light up.

import { short } from "./cards.js";

const LIT_MS = 1800;

export class News {
  constructor(t) {
    this.t = t;
    this.laid = new Map(); // card of a meld -> {seat, turns}: who laid it, until their next turn has ended
    this.known = null; // cards of all melds in the frame before
    this.waiting = []; // {by, card, kind}: laid on one's own melds since the last turn
    this.toasts = [];
  }

  isNew(card) { return this.laid.has(card); }

  /** What changed since the frame before. */
  follow() {
    const { t } = this, { view } = t;
    if (t.live.seen === this.at) return;
    this.at = t.live.seen;
    const fresh = new Set(), melds = view.melds ?? [];
    if (this.deal !== t.deal) {
      this.deal = t.deal;
      this.laid.clear();
      this.waiting = [];
      this.known = null;
    }
    const cards = new Map(melds.flatMap((m) => m.cards.map((card, i) => [card, { seat: m.by?.[i] ?? m.owner, meld: m }])));
    if (this.known) {
      for (const [card, { seat, meld }] of cards) {
        if (this.known.has(card)) continue;
        fresh.add(meld.owner);
        this.laid.set(card, { seat, ended: false });
        if (meld.owner === t.you && seat !== t.you) this.waiting.push({ by: seat, card, kind: meld.kind });
      }
    }
    this.known = cards;
    for (const card of this.laid.keys()) if (!cards.has(card)) this.laid.delete(card);
    this.turns(view.turn);
    this.light(fresh);
    if (this.waiting.length && (t.myTurn || t.scored)) this.toast(this.sentence());
  }

  /** A card stops being new when its player's next turn has ended. */
  turns(turn) {
    if (turn === this.turn) return;
    for (const [card, laid] of this.laid) {
      if (laid.seat !== this.turn) continue;
      if (laid.ended) this.laid.delete(card);
      else laid.ended = true;
    }
    this.turn = turn;
  }

  light(seats) {
    if (!seats.size) return;
    this.t.lit = seats;
    clearTimeout(this.dark);
    this.dark = setTimeout(() => { this.t.lit = new Set(); this.t.redraw(); }, LIT_MS);
  }

  /** "Ada played 9♠ and 10♠ on your run." for each who did. */
  sentence() {
    const told = new Map();
    for (const { by, card, kind } of this.waiting) {
      const to = `${by}.${kind}`;
      told.set(to, { by, kind, cards: [...(told.get(to)?.cards ?? []), short(card)] });
    }
    this.waiting = [];
    return [...told.values()].map(({ by, kind, cards }) => `${this.t.name(by)} played ${cards.join(", ").replace(/, ([^,]*)$/, " and $1")} on your ${kind}.`).join(" ");
  }

  toast(words) {
    if (!this.toasts.includes(words)) this.toasts = [...this.toasts, words].slice(-3);
    setTimeout(() => this.drop(words), 12000);
  }

  drop(words) {
    this.toasts = this.toasts.filter((other) => other !== words);
    this.t.redraw();
  }

  clear() { this.toasts = []; }
}
