// The own hand: picked by press, moved by arrows or by dragging, sorted; its order is this browser's alone.

import { html, repeat } from "./vendor/lit.js";
import { cardName, pressable, sorted } from "./cards.js";

/** Keeps the order in which a player holds the cards of a hand. */
export class Order {
  constructor() {
    this.cards = [];
    this.fresh = new Set(); // cards that came last
    this.how = null; // "suit", "rank", or null for the player's own order
    this.deal = null;
  }

  /** The hand as the house tells it, in this order; what is new comes last and is marked. */
  follow(hand, deal, stored) {
    if (deal !== this.deal) {
      this.deal = deal;
      this.cards = stored?.filter((card) => hand.includes(card)) ?? [];
      if (!this.cards.length) this.cards = sorted(hand, "suit");
      this.fresh = new Set();
    }
    const here = new Set(hand), known = new Set(this.cards);
    const came = hand.filter((card) => !known.has(card));
    if (came.length) this.fresh = new Set(came);
    this.cards = [...this.cards.filter((card) => here.has(card)), ...came];
    for (const card of this.fresh) if (!here.has(card)) this.fresh.delete(card);
    return this.cards;
  }

  /** Sort by suit, then by rank, then by suit again … */
  sort() {
    this.how = this.how === "suit" ? "rank" : "suit";
    this.cards = sorted(this.cards, this.how);
    this.fresh = new Set();
  }

  /** Move a card by so many places. */
  shift(card, by) {
    const at = this.cards.indexOf(card), to = Math.max(0, Math.min(this.cards.length - 1, at + by));
    this.put(card, to);
  }

  /** Put a card at a place. */
  put(card, to) {
    const rest = this.cards.filter((other) => other !== card);
    rest.splice(to, 0, card);
    this.cards = rest;
    this.how = null;
  }
}

/** The hand as it lies along the bottom. */
export function hand(t) {
  const cards = t.order.cards, marks = t.marks();
  const least = t.own.tall || t.game.tall?.(t) ? 8 : 14; // what took two rows keeps them, as long as they are full enough to look like a hand
  const rows = t.narrow && cards.length >= least ? [cards.slice(0, Math.ceil(cards.length / 2)), cards.slice(Math.ceil(cards.length / 2))] : [cards];
  t.own.tall ||= rows.length > 1; // a hand that took two rows keeps their room: nothing moves when it melds
  return html`<div class=${`hand${rows.length > 1 ? " two" : t.own.tall && t.narrow ? " tall" : ""}`} role="group" aria-label=${`Your hand, ${cards.length} cards`}>
    ${rows.map((row) => html`<div class="fan" .style=${`--n:${row.filter((card) => marks.get(card)?.kind !== "away").length}`}>${repeat(row, (card) => card, (card) => held(t, card, marks))}</div>`)}
    ${cards.length ? "" : html`<p class="empty">You hold no cards.</p>`}
  </div>`;
}

function held(t, card, marks) {
  const picked = t.picked.includes(card), mark = marks.get(card);
  const label = `${cardName(card)}${mark?.label ? `, ${mark.label}` : ""}${t.order.fresh.has(card) ? ", new" : ""}`;
  const kind = `${picked ? "picked " : ""}${mark?.kind ?? ""}${t.order.fresh.has(card) ? " fresh" : ""}`;
  return html`<div class=${`held${picked ? " up" : ""}`} data-held=${card} @keydown=${(event) => arrows(t, card, event)} @pointerdown=${(event) => drag(t, card, event)}>
    ${pressable(card, { press: () => t.dragged !== card && t.toggle(card), kind, label, pressed: picked, extra: mark?.extra ?? (mark?.dot ? html`<i class="can"></i>` : "") })}
  </div>`;
}

function arrows(t, card, event) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  if (t.picked.includes(card)) {
    t.move(by);
    return t.focusCard(card);
  }
  const at = t.order.cards.indexOf(card) + by;
  if (t.order.cards[at]) t.focusCard(t.order.cards[at]);
}

// Dragging by pointer events, so that it works by touch too. A press that moves less than 8 px is a press.
function drag(t, card, down) {
  if (down.button) return;
  const node = down.currentTarget, start = down.clientX;
  t.dragged = null;
  const move = (event) => {
    if (event.pointerId !== down.pointerId) return;
    if (t.dragged !== card && Math.abs(event.clientX - start) < 8) return;
    if (t.dragged !== card) node.setPointerCapture(down.pointerId);
    t.dragged = card;
    const others = [...node.closest(".hand").querySelectorAll(".held")].filter((other) => other !== node);
    const row = others.filter((other) => Math.abs(other.getBoundingClientRect().top - node.getBoundingClientRect().top) < 40);
    const before = row.filter((other) => other.getBoundingClientRect().left + 14 < event.clientX);
    const last = before.at(-1), first = row[0];
    const to = last ? t.order.cards.indexOf(last.dataset.held) : t.order.cards.indexOf(first?.dataset.held ?? card) - 1;
    const from = t.order.cards.indexOf(card);
    const place = to < from ? to + 1 : to;
    if (place !== from && place >= 0) {
      t.order.put(card, place);
      t.keepOrder();
      t.redraw();
    }
  };
  const end = (event) => {
    if (event.pointerId !== down.pointerId) return;
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
    setTimeout(() => { t.dragged = null; });
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}
