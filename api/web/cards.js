// Cards: how they are drawn, named and sorted. A card is rank + suit + pack ("QH1"), a joker "*1", "*2", …

import { html, nothing } from "./vendor/lit.js";

const RANKS = "A23456789TJQK";
const SUITS = "SHCD"; // black and red in turn
const NAMES = { A: "Ace", T: "10", J: "Jack", Q: "Queen", K: "King" };
const SUIT_NAMES = { S: "spades", H: "hearts", D: "diamonds", C: "clubs" };
const MARKS = { S: "♠", H: "♥", D: "♦", C: "♣" };

export const isJoker = (card) => card[0] === "*";

/** "Queen of hearts", "Joker". */
export function cardName(card) {
  if (isJoker(card)) return "Joker";
  return `${NAMES[card[0]] ?? card[0]} of ${SUIT_NAMES[card[1]]}`;
}

/** "Q♥", "Joker": for sentences. */
export function short(card) {
  return isJoker(card) ? "Joker" : `${card[0] === "T" ? "10" : card[0]}${MARKS[card[1]]}\uFE0E`;
}

const bySuit = (card) => (isJoker(card) ? 900 + Number(card.slice(1)) : SUITS.indexOf(card[1]) * 100 + RANKS.indexOf(card[0]));
const byRank = (card) => (isJoker(card) ? 9000 : RANKS.indexOf(card[0]) * 10 + SUITS.indexOf(card[1]));

/** A number with a minus that is as wide as a plus. */
export const figure = (n) => (typeof n === "number" && n < 0 ? `−${-n}` : String(n ?? ""));

/** The cards in order: "suit" or "rank". */
export function sorted(cards, how) {
  const value = how === "rank" ? byRank : bySuit;
  return [...cards].sort((a, b) => value(a) - value(b) || (a < b ? -1 : 1));
}

const pip = (suit, kind) => html`<svg class=${kind} viewBox="0 0 100 100" aria-hidden="true"><use href=${`#suit-${suit}`}></use></svg>`;

/** What is printed on a card, to be put into an element of class `card`. */
export function face(card) {
  if (isJoker(card)) {
    return html`<span class="rank" aria-hidden="true">★</span><svg class="big" viewBox="0 0 100 100" aria-hidden="true"><use href="#joker"></use></svg>`;
  }
  const rank = card[0] === "T" ? "10" : card[0];
  const court = "JQK".includes(card[0]);
  return html`<span class=${`rank${rank === "10" ? " ten" : ""}`} aria-hidden="true">${rank}</span>${pip(card[1], "pip")}${court
    ? html`<span class="court" aria-hidden="true"><svg viewBox="0 0 100 100"><use href=${`#court-${card[0]}`}></use></svg></span>${pip(card[1], "big low")}`
    : pip(card[1], "big")}`;
}

/**
 * A card that only lies there. `extra` goes into it (marks), `kind` are more classes, `label` replaces its name.
 * @param {string} card @param {{kind?: string, extra?: any, label?: string, still?: boolean}} [how]
 */
export function lying(card, { kind = "", extra = nothing, label = "", still = false } = {}) {
  return html`<span class=${`card ${kind}`} data-suit=${isJoker(card) ? "J" : card[1]} data-card=${still ? nothing : card}
    role="img" aria-label=${label || cardName(card)} title=${label || cardName(card)}>${face(card)}${extra}</span>`;
}

/**
 * A card to press. `pressed` marks it as picked; `why` is what it says when it can do nothing.
 * @param {string} card
 * @param {{press: (event: Event) => void, kind?: string, extra?: any, label?: string, pressed?: boolean, dim?: boolean}} how
 */
export function pressable(card, { press, kind = "", extra = nothing, label = "", pressed, dim = false }) {
  return html`<button type="button" class=${`card ${kind}${dim ? " dim" : ""}`} data-suit=${isJoker(card) ? "J" : card[1]}
    data-card=${card} aria-label=${label || cardName(card)} title=${label || nothing}
    aria-pressed=${pressed === undefined ? nothing : String(pressed)} @click=${press}>${face(card)}${extra}</button>`;
}

/** A card seen from behind. */
export function back(kind = "", label = "") {
  return html`<span class=${`card back ${kind}`} role=${label ? "img" : nothing} aria-label=${label || nothing}
    aria-hidden=${label ? nothing : "true"}></span>`;
}

/** The shapes that cards are drawn with, put into the page once. */
export const shapes = html`<svg class="shapes" aria-hidden="true" width="0" height="0">
  <symbol id="suit-S" viewBox="0 0 100 100"><path d="M50 4C58 22 94 42 94 64a21 21 0 0 1-36 14c1 8 4 13 9 18H33c5-5 8-10 9-18A21 21 0 0 1 6 64C6 42 42 22 50 4Z"/></symbol>
  <symbol id="suit-H" viewBox="0 0 100 100"><path d="M50 95C44 76 5 58 5 31a23 23 0 0 1 45-7 23 23 0 0 1 45 7c0 27-39 45-45 64Z"/></symbol>
  <symbol id="suit-D" viewBox="0 0 100 100"><path d="M50 3Q68 30 88 50 68 70 50 97 32 70 12 50 32 30 50 3Z"/></symbol>
  <symbol id="suit-C" viewBox="0 0 100 100"><path d="M50 4a21 21 0 0 1 18 32 21 21 0 1 1-10 39c1 9 4 15 9 21H33c5-6 8-12 9-21a21 21 0 1 1-10-39A21 21 0 0 1 50 4Z"/></symbol>
  <symbol id="joker" viewBox="0 0 100 100"><path d="M50 5 61 38h34L68 58l10 34-28-20-28 20 10-34L5 38h34Z"/></symbol>
  <symbol id="court-J" viewBox="0 0 100 100"><path d="M14 78h72v12H14ZM20 70c0-26 8-46 38-60-6 12-2 18 8 24s14 20 14 36Z"/></symbol>
  <symbol id="court-Q" viewBox="0 0 100 100"><path d="M16 78h68v12H16ZM18 70 8 34l20 14L38 14l12 30 12-30 10 34 20-14-10 36Z"/></symbol>
  <symbol id="court-K" viewBox="0 0 100 100"><path d="M16 78h68v12H16ZM16 70 10 30l22 18V30h12V20h-8v-8h8V4h12v8h8v8h-8v10h12v18l22-18-6 40Z"/></symbol>
</svg>`;
