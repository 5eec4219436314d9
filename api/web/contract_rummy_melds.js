// Contract Rummy: melds on the table. Where a picked card could go is drawn in place; tight tiles draw melds shorter.

import { html, nothing } from "./vendor/lit.js";
import { isJoker, lying, short } from "./cards.js";
import { hue, meldName, standsFor } from "./seats.js";

const STEP = 0.44; // of a card's width that shows of a covered card
const GAP = 12, LINE = 9; // between melds, between rows of melds

/** Places for the picked card's joker: all at once if it wins just one, else once the joker has been taken. */
export function swaps(t) {
  if (t.picked.length !== 1) return [];
  const found = t.offers.filter((offer) => offer.kind === "swap" && offer.move && !offer.stale);
  const from = new Set(found.map((offer) => offer.move.meld));
  if (from.size < 2) return found;
  return found.filter((offer) => t.own.swap?.card === offer.move.card && t.own.swap?.meld === offer.move.meld);
}

/** The joker of this run that the picked card would win, with what to press for it; null if there is none. */
function star(t, m) {
  if (t.picked.length !== 1) return null;
  const swap = t.offers.find((offer) => offer.kind === "swap" && offer.move?.meld === m.id && !offer.stale);
  const before = t.offers.find((offer) => offer.kind === "star" && offer.meld === m.id && !offer.stale && offer.part);
  if (!swap && !before) return null;
  const one = swap && swaps(t).some((offer) => offer.move.meld === m.id);
  return { joker: (swap ?? before).wins, take: one ? null : swap ?? before };
}

const places = (t, m) => {
  const spots = swaps(t).filter((offer) => offer.meld === m.id);
  if (!t.helper("slots")) return spots;
  return [...t.offers.filter((offer) => offer.kind === "lay_off" && offer.meld === m.id && offer.move && !offer.stale), ...spots];
};

function slot(t, offer) {
  const words = offer.kind === "swap" || t.picked.every(isJoker) ? "★" : t.picked.length === 1 ? short(t.picked[0]) : `+${t.picked.length}`;
  return html`<span class="ghost slotted" aria-hidden="true"><b>${words}</b></span>`;
}

function swapped(t, m, s) {
  const card = t.picked[0];
  const inner = html`<b>${short(card)}</b><small aria-hidden="true">★ out</small>`;
  if (!s.take) return html`<span class="ghost instead">${inner}</span>`;
  return html`<button type="button" class="ghost instead take" aria-label=${`Take the joker: ${short(card)} goes in its place in ${meldName(t, m)}`}
    @click=${() => t.game.takeStar(t, s.take)}>${inner}</button>`;
}

/** A meld with what could go on it. */
export function meld(t, m) {
  const tight = t.own.tight?.get(m.owner)?.has(m.id), here = places(t, m), s = star(t, m);
  const low = here.filter((offer) => offer.end === "low"), high = here.filter((offer) => offer.end !== "low");
  const drawn = (card, i) => (s && card === s.joker ? swapped(t, m, s) : lying(card, { kind: t.isNew(card) ? "new" : "", label: standsFor(m, i), extra: by(t, m, i) }));
  const items = tight ? short_(t, m, drawn, low, high, s) : [...low.map((offer) => slot(t, offer)), ...m.cards.map(drawn), ...high.map((offer) => slot(t, offer))];
  const size = tight ? (m.kind === "set" ? 1.3 : 2.5) : 1 + (m.cards.length - 1) * STEP;
  return html`<div class=${`meld ${m.kind}${here.length ? " open" : ""}${tight ? " tight" : ""}`} role="group" data-meld=${m.id}
      aria-label=${`${meldName(t, m)}: ${m.cards.map(short).join(" ")}`} .style=${`--size:${size};--m:${items.length}`}>
    ${items.map((item, i) => html`<span class="at" .style=${`--i:${i}`}>${item}</span>`)}
    ${tight && !here.length && !s?.take ? peek(t, m) : presses(t, m, low, high)}</div>`;
}

/** A meld that is drawn short tells its cards. */
function peek(t, m) {
  const name = meldName(t, m), words = `${name[0].toUpperCase()}${name.slice(1)}: ${m.cards.map(short).join(" ")}`;
  return html`<button type="button" class="peek" aria-label=${`Show the cards: ${name}`} @click=${() => t.say(words)}></button>`;
}

/** Buttons over the meld: the whole of it for one place, a half for each of two. */
function presses(t, m, low, high) {
  const button = (offer, kind) => html`<button type="button" class=${`press ${kind}`} aria-label=${`${offer.words}${offer.points ? `, ${offer.points} points` : ""}: ${meldName(t, m)}`}
    data-place=${`${m.id}.${offer.end ?? ""}`} @click=${() => t.offer(offer)}></button>`;
  const all = [...low, ...high];
  if (all.length === 1) return button(all[0], "whole");
  return html`${low.map((offer) => button(offer, "low"))}${high.map((offer) => button(offer, "high"))}`;
}

function by(t, m, i) {
  if (!m.by || m.by[i] === m.owner) return nothing;
  return html`<i class="by" .style=${`--hue:${hue(m.by[i])}`} title=${`Laid by ${t.name(m.by[i])}`}></i>`;
}

/** A set as a pile with its rank and count, a run as its two ends and a bridge; a place or a swap takes the bridge's room. */
function short_(t, m, drawn, low, high, s) {
  const n = m.cards.length, fresh = m.cards.some((card) => t.isNew(card));
  if (m.kind === "set") {
    const top = m.cards.findLastIndex((card) => !isJoker(card));
    const rank = m.rank === "T" ? "10" : m.rank, label = `${n} of rank ${rank}: ${m.cards.map(short).join(" ")}`;
    const all = html`<span class=${`card stacked${fresh ? " new" : ""}`} data-card=${m.cards[Math.max(top, 0)]} role="img" aria-label=${label} title=${label}><b aria-hidden="true">${rank}</b><i class="many" aria-hidden="true">×${n}</i></span>`;
    return [all, ...high.map((offer) => slot(t, offer))];
  }
  const within = s && m.cards.indexOf(s.joker) > 0 && m.cards.indexOf(s.joker) < n - 1;
  const middle = low.length + high.length ? [...low, ...high].map((offer) => slot(t, offer)) : within ? [] : [html`<span class="bridge">${fresh ? html`<i class="fresh"></i>` : nothing}${n}</span>`];
  return [drawn(m.cards[0], 0), ...(within ? [swapped(t, m, s)] : []), ...middle, drawn(m.cards[n - 1], n - 1)];
}

/** Which melds of a seat are drawn short, so that all of them are to be seen: those that save most first. */
export function tighten(t, seat, melds) {
  const box = boxOf(t, seat);
  t.own.tight ??= new Map();
  const tight = new Set();
  t.own.tight.set(seat, tight);
  if (!box) return;
  const wide = (m) => box.card * (tight.has(m.id) ? (m.kind === "set" ? 1.3 : 2.5) : 1 + (m.cards.length - 1) * STEP);
  const saves = (m) => (m.cards.length - 1) * STEP - (m.kind === "set" ? 0.3 : 1.5);
  const order = melds.filter((m) => saves(m) > 0).sort((a, b) => saves(b) - saves(a) || a.id - b.id);
  while (order.length && !fit(melds.map(wide), box)) tight.add(order.shift().id);
}

function fit(widths, box) {
  let rows = 1, x = 0;
  for (const width of widths) {
    if (width > box.width) return false;
    if (x && x + GAP + width > box.width) {
      rows += 1;
      x = width;
    } else x += (x ? GAP : 0) + width;
  }
  return rows * box.card * 1.4 + (rows - 1) * LINE <= box.height;
}

/** The room that a seat's tile has for melds: it depends on the window and the number of seats alone. */
function boxOf(t, seat) {
  const size = `${innerWidth}.${innerHeight}.${document.documentElement.clientWidth}`;
  if (t.own.boxesAt !== size) {
    t.own.boxesAt = size;
    t.own.boxes = new Map();
  }
  if (t.own.boxes.has(seat)) return t.own.boxes.get(seat);
  const node = t.root.querySelector(`.tile[data-seat="${seat}"]`), head = node?.querySelector("header");
  if (!node) {
    t.redraw();
    return null;
  }
  const card = parseFloat(getComputedStyle(node).getPropertyValue("--card")) || 48;
  const height = t.narrow ? card * 1.4 : node.clientHeight - head.offsetHeight - 26;
  const box = { card, width: node.clientWidth - 30, height };
  t.own.boxes.set(seat, box);
  return box;
}
