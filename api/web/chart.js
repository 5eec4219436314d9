// The chart of totals, hand by hand, as drawing; the same figures stand in the table beside it.

import { html, nothing, svg } from "./vendor/lit.js";
import { figure } from "./cards.js";
import { brief, hue } from "./seats.js";

const DASHES = ["", "6 3", "2 3", "9 3 2 3", "1 4", "12 4", "4 2 1 2", "8 2"];

/** Totals after each hand: rows of scores, one figure a seat, added up. */
export function sums(scores, seats) {
  const totals = [Array(seats).fill(0)];
  for (const row of scores) totals.push(row.map((score, i) => totals.at(-1)[i] + score));
  return totals;
}

/** Where the lines of a chart run: shared by the drawing on the page and the picture to share. */
export function plan(scores, names, wide) {
  const totals = sums(scores, names.length), all = totals.flat();
  const tall = wide > 400 ? 300 : 240, left = 46, right = wide - (wide > 400 ? 120 : 84), top = 16, foot = tall - 28;
  const least = Math.min(0, ...all), most = Math.max(10, ...all);
  const x = (i) => left + ((right - left) * i) / Math.max(1, totals.length - 1);
  const y = (value) => foot - ((foot - top) * (value - least)) / (most - least || 1);
  const step = [5, 10, 20, 25, 50, 100, 200, 250, 500, 1000].find((s) => (most - least) / s <= 5) ?? 1000;
  const ticks = [];
  for (let v = Math.ceil(least / step) * step; v <= most; v += step) ticks.push(v);
  const ends = names.map((name, i) => ({ i, name, at: y(totals.at(-1)[i]) })).sort((a, b) => a.at - b.at);
  for (let k = 1; k < ends.length; k += 1) ends[k].at = Math.max(ends[k].at, ends[k - 1].at + 14); // labels keep apart
  const over = Math.max(0, (ends.at(-1)?.at ?? 0) - foot);
  for (const end of ends) end.at -= over;
  return { totals, wide, tall, left, right, top, foot, x, y, ticks, ends };
}

/** @param {any} t @param {number} wide units: 640, or 360 on a phone */
export function chart(t, wide) {
  const { scores, outs } = t.view, names = t.table.seats.map((_, i) => (t.who ? brief(t, i) : t.name(i)));
  if (!scores?.length) return nothing;
  const c = plan(scores, names, wide);
  const line = (seat) => c.totals.map((row, i) => `${i ? "L" : "M"}${c.x(i).toFixed(1)} ${c.y(row[seat]).toFixed(1)}`).join("");
  return html`<figure class="chart"><svg viewBox=${`0 0 ${c.wide} ${c.tall}`} role="img" aria-label="Totals hand by hand; the figures are in the table of scores">
    ${c.ticks.map((v) => svg`<line class="grid" x1=${c.left} x2=${c.right} y1=${c.y(v)} y2=${c.y(v)}></line><text x=${c.left - 6} y=${c.y(v) + 4} text-anchor="end">${figure(v)}</text>`)}
    ${c.totals.map((_, i) => (c.totals.length <= 14 || i % 5 === 0 ? svg`<text x=${c.x(i)} y=${c.foot + 18} text-anchor="middle">${i}</text>` : nothing))}
    ${names.map((_, seat) => svg`<path class="line" .style=${`--hue:${hue(seat)}`} stroke-dasharray=${DASHES[seat % 8]} d=${line(seat)}></path>
      ${c.totals.map((row, i) => (i && t.wentOut(i - 1) === seat ? svg`<circle class="out" .style=${`--hue:${hue(seat)}`} cx=${c.x(i)} cy=${c.y(row[seat])} r="5"></circle>` : nothing))}`)}
    ${c.ends.map((end) => svg`<text class="name" .style=${`--hue:${hue(end.i)}`} x=${c.right + 8} y=${end.at + 4}>${clip(end.name, wide > 400 ? 14 : 9)}</text>`)}
  </svg><figcaption>Totals after each hand${outs || t.outs.length ? "; a ring marks who went out" : ""}.</figcaption></figure>`;
}

/** A name cut to so many letters of usual width. @param {string} name @param {number} most */
function clip(name, most) {
  let room = most;
  const letters = [...name], end = letters.findIndex((letter) => (room -= /[MWmw\u1100-\uffff]/.test(letter) ? 1.7 : 1) < 0);
  return end < 0 ? name : `${letters.slice(0, end - 1).join("")}…`;
}
