// The seats round the table: where each sits, its tile, and the melds in front of it.

import { html, nothing, repeat } from "./vendor/lit.js";
import { figure, lying, short } from "./cards.js";
import { emote } from "./says.js";

/**
 * Where each seat's tile lies, as `grid-template-areas`: depends on the number of seats alone. Seat 0 here is the viewer's
 * place, the others follow clockwise (1 sits at the viewer's left). Area names: s0 …, and `mid` for the centre of a ring.
 * @param {"rows" | "ring"} layout @param {number} n
 */
export function areas(layout, n) {
  const rows = layout === "ring" ? ring(n) : [["mid"], ...twoRows(n)];
  const wide = rows.map((row) => row.length).reduce((a, b) => (a * b) / gcd(a, b), 1);
  return rows.map((row) => `"${row.flatMap((name) => Array(wide / row.length).fill(name)).join(" ")}"`).join(" ");
}

const gcd = (a, b) => (b ? gcd(b, a % b) : a);
const seats = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => `s${from + i}`);

function twoRows(n) {
  if (n === 1) return [["s0"]];
  const bottom = Math.ceil(n / 2);
  const left = n === 2 ? 0 : bottom <= 2 ? 1 : bottom - 2; // places left of the viewer in the bottom row
  const right = bottom - 1 - left;
  return [seats(left + 1, n - 1 - right), [...seats(1, left).reverse(), "s0", ...seats(n - right, n - 1).reverse()]];
}

function ring(n) {
  if (n <= 2) return [["s1"], ["mid"], ["s0"]].slice(n === 2 ? 0 : 1);
  const flank = n >= 7 ? 1 : 0; // places on each side of the viewer
  const bottom = [...seats(1, flank), "s0", ...seats(n - flank, n - 1)];
  const top = seats(flank + 2, n - flank - 2);
  const middle = [`s${flank + 1}`, "mid", `s${n - flank - 1}`];
  return top.length ? [top, middle, bottom] : [middle, bottom];
}

/** The seats clockwise from the viewer. */
export function clockwise(t) {
  const n = t.table.seats.length, me = t.you ?? 0;
  return Array.from({ length: n }, (_, i) => (me + i) % n);
}

/** What a seat is called where there is little room. */
export const brief = (t, seat) => (t.narrow || t.table.seats.length > 4 ? t.who(seat).replace(/^(Easy|Med(?=ium)|Hard)(ium)? bot/, "$1") : t.who(seat));

/** A seat's tile. */
export function tile(t, seat, place) {
  const sitter = t.table.seats[seat], shown = t.figures(seat);
  const mine = seat === t.you;
  return html`<section class=${`tile${t.turning(seat) ? " turn" : ""}${mine ? " mine" : ""}${t.lit.has(seat) ? " lit" : ""}`}
      data-seat=${seat} .style=${`grid-area:s${place};--hue:${hue(seat)}`} aria-label=${`${t.name(seat)}${mine ? " (you)" : ""}`}>
    <header>
      <span class="who"><i class="dot" aria-hidden="true"></i><b>${t.name(seat)}</b>${mine ? html`<small>you</small>` : nothing}</span>
      ${shown.badge ? html`<span class=${`badge ${shown.tone ?? ""}`}>${shown.badge}</span>` : nothing}
      <span class="figures">
        ${shown.count === null ? nothing : html`<span class="count" title="Cards in hand"><i class="stack" aria-hidden="true"></i><span class="sr">Cards </span>${shown.count}</span>`}
        ${shown.hand ? html`<span class="gain" title="This hand">${shown.hand}</span>` : nothing}
        ${shown.score === null ? nothing : html`<span class="score" title="Score"><span class="sr">Score </span>${figure(shown.score)}</span>`}
      </span>
      ${shown.meter === null ? nothing : html`<span class="meter" aria-hidden="true"><i .style=${`width:${Math.max(0, Math.min(1, shown.meter)) * 100}%`}></i></span>`}
    </header>
    ${shown.extra ?? nothing}
    ${bubble(t, seat)}
    <div class="melds" tabindex="-1">${repeat(t.meldsOf(seat), (m) => m.id, (m) => (t.game.meld ?? meld)(t, m))}</div>
    ${sitter && t.mayCover(seat) ? html`<button type="button" class="small" @click=${() => t.cover(seat)}>Let a bot play</button>` : nothing}
  </section>`;
}

/** What somebody has just said stands at their seat, over the melds, never over the hand. */
function bubble(t, seat) {
  const said = t.live?.bubble?.(seat);
  return said && !t.muted?.has(said.who) ? html`<p class="bubble" aria-hidden="true">${said.text ?? emote(said.emote)}</p>` : nothing;
}

/** A colour for each seat, told apart also by people who see few colours: the name stands beside it. */
export const hue = (seat) => [210, 25, 140, 285, 50, 330, 180, 100][seat % 8];

/** A meld on the table, with a place to press for every offer that goes on it. */
export function meld(t, m) {
  const here = t.offers.filter((offer) => offer.meld === m.id && offer.move && !offer.stale);
  return html`<div class=${`meld ${m.kind}${here.length ? " open" : ""}`} role="group" aria-label=${meldName(t, m)} data-meld=${m.id} .style=${`--k:${m.cards.length}`}>
    ${m.cards.map((card, i) => lying(card, { kind: t.isNew(card) ? "new" : "", label: standsFor(m, i), extra: m.by && m.by[i] !== m.owner
      ? html`<i class="by" .style=${`--hue:${hue(m.by[i])}`} title=${`Laid by ${t.name(m.by[i])}`}></i>` : nothing }))}
    ${here.map((offer) => html`<button type="button" class=${`slot ${here.length === 1 ? "whole" : offer.end ?? "whole"}`}
      aria-label=${`${offer.words}${offer.points ? `, ${offer.points} points` : ""}: on ${meldName(t, m)}`} @click=${() => t.offer(offer)}>
      <span aria-hidden="true">${t.picked.length === 1 ? short(t.picked[0]) : `+${t.picked.length}`}</span></button>`)}
  </div>`;
}

const RANKS = ["", "A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"];

/** What a joker in a meld stands for, in words; "" for any other card. */
export function standsFor(m, i) {
  if (m.cards[i][0] !== "*") return "";
  return m.kind === "run" ? `Joker as ${short(`${RANKS[((m.lo + i - 1) % 13) + 1]}${m.suit}1`)}` : `Joker as ${m.rank === "T" ? "10" : m.rank}`;
}

/** "Ada's run of 3 in hearts". */
export function meldName(t, m) {
  const whose = m.owner === t.you ? "your" : `${t.name(m.owner)}'s`;
  const suits = { S: "spades", H: "hearts", D: "diamonds", C: "clubs" };
  return m.kind === "run" ? `${whose} run of ${m.cards.length} in ${suits[m.suit]}` : `${whose} set of ${m.cards.length}`;
}
