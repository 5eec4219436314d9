// Contract Rummy: going down. Melds are built in a tray over the own tile, then laid all at once.

import { html, nothing, repeat } from "./vendor/lit.js";
import { isJoker, lying, pressable, short } from "./cards.js";
import { ask } from "./house.js";

const FEW = 8; // more readings than these are asked for in a list: a meld of jokers alone
const NOT_THERE = "With these the rest of the contract is not there.";

/** What is being built: {melds: [{readings, at}], won: [{card, meld, joker}], choose, rest, asked}. */
export const build = (t) => (t.own.build ??= { melds: [], won: [], choose: null, rest: null, asked: "" });

export const building = (t) => Boolean(t.own.build && (t.own.build.melds.length || t.own.build.won.length || t.own.build.choose));

export const last = (t) => t.view.contract.sets === 0 && t.view.contract.runs === 3;

export const downWords = (t) => (last(t) ? "Go out" : "Go down");

const partOf = (meld) => meld.readings[meld.at].part;
const parts = (t) => (t.own.build?.melds ?? []).map(partOf);

/** Cards of the hand that lie in the tray, or have been given for a joker of the table. */
export function away(t) {
  const found = new Set(parts(t).flatMap((part) => part.cards));
  for (const { card } of t.own.build?.won ?? []) found.add(card);
  return found;
}

/** Whether the hand still has what lies in the tray: another tab may have laid it. */
export function held(t) {
  const won = new Set((t.own.build?.won ?? []).map(({ joker }) => joker));
  return !t.view.down[t.you] && [...away(t)].every((card) => won.has(card) || t.view.hand.includes(card));
}

/** Jokers won from the table that are in no meld yet. */
const loose = (t) => {
  const used = new Set(parts(t).flatMap((part) => part.cards));
  return (t.own.build?.won ?? []).filter(({ joker }) => !used.has(joker));
};

export function clear(t) {
  t.own.build = null;
  t.own.swap = null;
}

async function arranged(t) {
  const keep = JSON.stringify(parts(t));
  return { keep, ...(await ask(`/tables/${t.id}/arrange?keep=${encodeURIComponent(keep)}`)) };
}

/** Ask what is left to lay besides what lies in the tray: nothing once the contract is whole. */
async function look(t) {
  const b = build(t), keep = JSON.stringify(parts(t));
  b.rest = null;
  b.asked = keep;
  if (!b.melds.length) return;
  try {
    const found = await arranged(t);
    if (t.own.build === b && b.asked === found.keep) b.rest = { found: found.arranged };
  } catch (fault) {
    t.say(fault.message);
  }
  t.redraw();
}

const restOf = (found) => found?.melds ?? found?.runs ?? [];

/** Whether the tray holds just what is to be laid. */
export const whole = (t) => {
  const rest = t.own.build?.rest;
  return Boolean(rest?.found) && !restOf(rest.found).length;
};

/** Put a meld into the tray: the first of its readings, or ask for one if there are many. */
export function stage(t, readings) {
  const b = build(t);
  if (readings.length > FEW) b.choose = readings;
  else {
    b.melds = [...b.melds, { readings, at: 0 }];
    look(t);
  }
  t.pick([]);
}

/** Take a joker of the table for the contract. */
export function win(t, star) {
  const b = build(t);
  b.won = [...b.won, { card: star.part.card, meld: star.part.meld, joker: star.wins }];
  t.pick([]);
  t.say(`${short(star.part.card)} wins the joker: make a meld with it, or put it back.`);
}

/** Whether a newer answer is on its way: what was offered before is not sent. */
export const stale = (t) => t.offers.some((offer) => offer.stale);

/** Ask the house for the rest of the contract and put it into the tray. */
export async function goDown(t) {
  if (t.own.arranging || stale(t)) return;
  if (whole(t)) return void confirm(t);
  t.own.arranging = true;
  t.redraw();
  try {
    let found = await arranged(t);
    if (found.seen !== t.live.seen) found = await arranged(t);
    const quick = t.own.build?.melds.length ? null : t.helps.suggest?.move;
    const rest = restOf(found.arranged ?? quick);
    if (!rest.length) return void t.say(building(t) ? NOT_THERE : t.own.bare?.find((o) => o.kind.startsWith("go_"))?.why ?? "The contract is not there yet.");
    const b = build(t);
    b.melds = [...b.melds, ...rest.map((part) => ({ readings: [{ part: { kind: "run", ...part } }], at: 0 }))];
    if (last(t)) for (const meld of b.melds) for (const reading of meld.readings) delete reading.part.kind;
    for (const { card, meld } of (found.arranged ?? quick).swaps ?? []) {
      if (!b.won.some((won) => won.card === card)) b.won = [...b.won, { card, meld, joker: jokerFor(t, card, meld) }];
    }
    t.pick([]);
    await look(t);
  } catch (fault) {
    t.say(fault.message);
  } finally {
    t.own.arranging = false;
    t.redraw();
  }
}

/** Which joker of the table a card is given for: one that the tray uses and the hand does not hold. */
function jokerFor(t, card, meld) {
  const on = t.view.melds.find((m) => m.id === meld), used = new Set(parts(t).flatMap((part) => part.cards));
  return on?.cards.find((other) => isJoker(other) && used.has(other)) ?? "*";
}

async function confirm(t) {
  const { found } = t.own.build.rest, laid = parts(t);
  t.quiet();
  const move = last(t) ? { type: "go_out", runs: laid } : { type: "go_down", melds: laid, swaps: found.swaps ?? [] };
  if (await t.send(move)) clear(t);
}

/** The button that lays the contract, or makes it ready. */
export function downButton(t, key, bare) {
  if (whole(t)) return { words: "Confirm", key, act: () => goDown(t), filled: true };
  const rest = building(t) && t.own.build.melds.length ? t.own.build.rest : undefined; // null while the house is asked
  const ready = Boolean(rest === undefined ? t.helps.suggest : rest?.found), fits = ready || rest === null || (rest === undefined && bare?.move);
  const why = fits ? null : rest || building(t) ? NOT_THERE : bare?.why ?? "The contract is not there yet.";
  return { words: downWords(t), key, act: () => goDown(t), why, filled: ready, ring: ready };
}

/** The button that makes a meld of the picked cards. */
export function makeButton(t, key) {
  const made = t.offersOf("set", "run").filter((offer) => offer.part);
  if (made.length) {
    const words = made.length > FEW ? (made[0].kind === "set" ? "Make a set" : "Make a run") : made[0].words;
    return { words, key, act: () => stage(t, made.filter((offer) => offer.kind === made[0].kind)), filled: true };
  }
  const near = t.offersOf("set", "run").filter((offer) => offer.why);
  const words = near.length === 1 ? near[0].words : "Make a meld";
  return { words, key, why: why(near) ?? t.offers.find((offer) => offer.kind === "none")?.why ?? "These cards make no meld." };
}

const why = (near) => (near.length ? [...new Set(near.map((offer) => offer.why))].join(" ") : null);

/** What the tray still lacks, in a sentence. */
export function told(t) {
  const b = t.own.build;
  if (b.choose) return "Say what these jokers stand for.";
  if (whole(t)) return "All is there. Look it over, then confirm.";
  const need = missing(t), words = [];
  if (need.sets) words.push(need.sets === 1 ? "a set" : `${need.sets} sets`);
  if (need.runs) words.push(need.runs === 1 ? "a run" : `${need.runs} runs`);
  if (words.length) return `Still to build: ${words.join(" and ")}. ${!b.rest || !b.melds.length ? "" : b.rest.found ? `${downWords(t)} finishes it.` : "Your other cards do not make it yet."}`;
  return b.rest ? "This cannot be laid as it is: every card has to go into the three runs." : "Looking …";
}

function missing(t) {
  const built = parts(t), sets = built.filter((part) => part.kind === "set").length;
  return { sets: Math.max(0, t.view.contract.sets - sets), runs: Math.max(0, t.view.contract.runs - (built.length - sets)) };
}

/** How many cards each panel of the tray shows. */
export function panels(t) {
  const need = missing(t);
  return [...parts(t).map((part) => part.cards.length), ...Array(need.sets).fill(3), ...Array(need.runs).fill(4), ...loose(t).map(() => 2)];
}

function undo(t, i) {
  const b = build(t);
  b.melds = b.melds.filter((_, k) => k !== i);
  look(t);
  t.redraw();
}

function turnJoker(t, meld) {
  meld.at = (meld.at + 1) % meld.readings.length;
  look(t);
  t.redraw();
}

function putBack(t, won) {
  const b = build(t);
  b.won = b.won.filter((other) => other !== won);
  t.pick(t.picked.filter((card) => card !== won.joker));
}

function panel(t, meld, i) {
  const part = partOf(meld), kind = part.kind === "set" ? "Set" : "Run";
  return html`<li class="panel" aria-label=${`${kind} ${i + 1}: ${part.cards.map(short).join(" ")}`}>
    <div class="staged" .style=${`--n:${part.cards.length}`}>${part.cards.map((card) => lying(card, { still: true }))}</div>
    <div class="of"><b class="ok"><span aria-hidden="true">✓</span> ${kind}</b>
      ${meld.readings.length > 1 ? html`<button type="button" class="small" @click=${() => turnJoker(t, meld)}>Move joker</button>` : nothing}
      <button type="button" class="small" aria-label=${`Undo ${kind.toLowerCase()} ${i + 1}`} @click=${() => undo(t, i)}>Undo</button></div></li>`;
}

function ghost(kind) {
  return html`<li class="panel lacking"><div class="staged" .style=${`--n:${kind === "set" ? 3 : 4}`}>${Array.from({ length: kind === "set" ? 3 : 4 }, () => html`<span class="card none"></span>`)}</div>
    <div class="of"><b>${kind === "set" ? "Set of three" : "Run of four"}</b></div></li>`;
}

function chooser(t, readings) {
  const pick = (event) => {
    const at = Number(event.target.closest("form").elements.reading.value);
    event.preventDefault();
    build(t).choose = null;
    stage(t, [readings[at]]);
  };
  return html`<form class="choose" @submit=${pick}><label>The jokers stand for
    <select name="reading">${readings.map((offer, i) => html`<option value=${i}>${offer.words.replace("Make a ", "")}</option>`)}</select></label>
    <button type="submit">Make it</button></form>`;
}

/** The tray over the own tile, once something is being built. */
export function tray(t) {
  if (!building(t)) return nothing;
  const b = t.own.build, need = missing(t), free = loose(t);
  return html`<section class="tray" aria-label="What you are about to lay" .style=${t.own.trayAt ?? ""}>
    ${b.choose ? chooser(t, b.choose) : nothing}
    <ul class="panels">${repeat(b.melds, (meld) => meld, (meld, i) => panel(t, meld, i))}
      ${Array.from({ length: need.sets }, () => ghost("set"))}${Array.from({ length: need.runs }, () => ghost("run"))}
      ${free.map((won) => html`<li class="panel"><div class="staged" .style=${"--n:1"}>${pressable(won.joker, { press: () => t.toggle(won.joker), kind: t.picked.includes(won.joker) ? "picked" : "", label: `Joker won with ${short(won.card)}`, pressed: t.picked.includes(won.joker) })}</div>
        <div class="of"><b>★ for ${short(won.card)}</b><button type="button" class="small" @click=${() => putBack(t, won)}>Put back</button></div></li>`)}
    </ul>
    <div class="trayend"><button type="button" class="small" @click=${() => t.reset()}>Cancel</button></div>
  </section>`;
}
