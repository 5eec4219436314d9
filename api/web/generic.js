// The table that fits every game, drawn from the view and from what the house offers. A game's own module replaces parts.

import { html, nothing, repeat } from "./vendor/lit.js";
import { back, lying } from "./cards.js";
import { from } from "./dock.js";
import { meld } from "./seats.js";

const KEYS = { take: "T", draw: "D", meld: "M", go_down: "M", lay_off: "M", play: "M", discard: "X", buy: "B", pass: "N", end_hand: "E", ready: "R" };

/** The stock as a pile with its count. `press` makes it a button. */
export function stock(t, press, words = "Draw from the stock") {
  const count = t.view.stock ?? null;
  const inner = html`${back(count === 0 ? "none" : "")}${count === null ? nothing : html`<span class="many">${count}</span>`}`;
  return press
    ? html`<button type="button" class="stock" data-stock aria-label=${`${words}${count === null ? "" : `, ${count} cards left`}`} @click=${press}>${inner}</button>`
    : html`<span class="stock" data-stock role="img" aria-label=${count === null ? "Stock" : `Stock, ${count} cards`}>${inner}</span>`;
}

export const generic = {
  /** "rows": tiles in two rows under the piles. "ring": tiles around them. */
  layout: /** @type {"rows" | "ring"} */ ("rows"),
  /** Rows of Options: {id, words, hint, start}. */
  helpers: [],
  /** Rows of Options with several values: {id, words, hint, values: [[value, words]], get(t), set(t, value)}. */
  preferences: [],

  /** The middle of the table. */
  centre(t) {
    const { view } = t, draw = t.freeOf("draw").find((offer) => offer.move);
    return html`${"stock" in view ? stock(t, draw && (() => t.offer(draw))) : nothing}
      ${view.pile ? html`<div class="pile" role="group" aria-label=${`Discard pile, ${view.pile.length} cards`} .style=${`--n:${view.pile.length}`}>
        ${repeat(view.pile, (card) => card, (card) => lying(card))}${view.pile.length ? nothing : html`<span class="card none" aria-hidden="true"></span>`}</div>` : nothing}`;
  },

  /** The melds in front of a seat, in the order in which they are drawn. */
  meldsOf(t, seat) {
    return (t.view.melds ?? []).filter((m) => m.owner === seat);
  },

  /** How a meld is drawn. */
  meld,

  /** What a tile tells besides what every tile tells. `plain` is that. */
  figures(_t, _seat, _plain) { return {}; },

  /** Marks of the hand's cards. */
  marks(t) {
    const marks = new Map();
    for (const fit of t.helps.fits ?? []) marks.set(fit.card, { dot: true, label: "can be played" });
    return marks;
  },

  /** Whether a second press is asked for before this offer is sent. */
  cautions(_t, _offer) { return true; },

  /** What the dock shows: {status, left, right, auto, more}. */
  dock(t) {
    if (t.over || t.scored) return finished(t);
    const used = new Set();
    const more = t.offers.filter((offer) => offer.kind !== "none" && offer.meld === null).map((offer) => {
      const key = used.has(KEYS[offer.kind]) ? undefined : KEYS[offer.kind];
      used.add(key);
      return from(offer, key);
    });
    const none = t.picked.length ? t.offers.find((offer) => offer.why)?.why : null;
    const hint = t.picked.length ? "" : " Pick cards of your hand to see what they can do.";
    return { status: t.myTurn ? none ?? `It is your turn.${t.view.hand?.length ? hint : ""}` : t.waiting(), left: null, right: null, auto: null, more };
  },

  /** The card shown before each deal. */
  intro(t) {
    const { view } = t;
    return html`<h2>${view.deals ? `Hand ${view.deals}` : t.card?.title}</h2>
      ${view.dealer === undefined ? nothing : html`<p>${t.who(view.dealer)} ${view.dealer === t.you ? "deal" : "deals"}.</p>`}`;
  },

  /** The title in the bar. */
  title(t) { return t.view.deals ? `Hand ${t.view.deals}` : t.card?.title ?? ""; },

  /** How to play, in short. The rules in full are linked below it. */
  how(t) { return html`<p>${t.card?.teaser}</p>`; },

  /** What the result sheet tells of the hand besides the scores. */
  /** @returns {any} */
  result(_t) { return nothing; },
};

/** The dock once a hand or the game has ended. */
export function finished(t) {
  const ready = t.freeOf("ready").find((offer) => offer.move);
  const score = { words: "Show the score", act: () => t.open({ kind: "result" }) };
  const status = t.over ? "The game is over." : ready ? "The hand is over." : t.view.ready?.[t.you] ? `You are ready. ${t.waiting()}` : "The hand is over.";
  return { status, left: score, right: ready ? from(ready, "R", { words: "Next hand", filled: true }) : null, auto: null, more: [] };
}
