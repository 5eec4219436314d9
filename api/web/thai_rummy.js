// The table of Thai Rummy: the whole pile lies open, to be taken for new melds; who lays a card has it in front of them.

import { html, nothing, repeat } from "./vendor/lit.js";
import { back, cardName, lying, pressable, short } from "./cards.js";
import { from } from "./dock.js";
import { finished, stock } from "./generic.js";
import { layButton } from "./rummy_lay.js";
import { fly } from "./motion.js";
import { brief, hue, meldName } from "./seats.js";

const DEAR = new Set(["QS1", "2C1"]); // they carry their fifty points as a mark

const helpers = [
  { id: "pile", words: "Show what the pile offers me", hint: "Rings the cards of the pile that can be taken, and says what they would make." },
  { id: "pick", words: "Pick the cards for me", hint: "When you choose a card of the pile: those of the richest meld with it." },
  { id: "dots", words: "Dot what could go down", hint: "Marks the cards of your hand that could be laid now." },
  { id: "gifts", words: "Warn of gifts", hint: "Asks once more before a discard that fits a meld on the table and costs you 50." },
  { id: "feeds", words: "Warn of feeding", hint: "Says with which discard another may begin the last turn, and asks once more if that player holds three cards." },
];

const sign = (points) => (points < 0 ? `−${-points}` : String(points));
const fifty = (card) => (DEAR.has(card) ? html`<i class="fifty" aria-hidden="true"></i>` : nothing);
const drawing = (t) => t.myTurn && t.view.phase === "draw" && !t.scored;
const later = (t) => (t.myTurn ? "One moment …" : t.waiting() || "One moment …");

// -- the middle -----------------------------------------------------------------------------------------------------------

function centre(t) {
  const draw = drawButton(t), { view } = t;
  return html`<div class="thai-mid">
    ${stock(t, t.you === null ? null : () => t.press(draw), draw.words)}
    <div class="pilebox"><div class="thai-pile" .style=${`--n:${view.pile.length}`} role="group" aria-label=${`Discard pile, ${view.pile.length} cards, oldest first`}>
      ${repeat(view.pile, (card) => card, (card, at) => pileCard(t, card, at))}
      ${view.pile.length ? nothing : html`<span class="card none" aria-hidden="true"></span>`}</div></div>
    ${faceDown(t)}
  </div>`;
}

function pileCard(t, card, at) {
  const { own } = t, pick = drawing(t) && t.helper("pile") ? t.helps.picks?.find((p) => p.at === at && p.card === card) : null;
  const from = own.look ?? own.at, lifted = drawing(t) && from !== null && from !== undefined && at >= from;
  const kind = `${lifted ? "up " : ""}${drawing(t) && own.at === at ? "chosen " : ""}${pick?.takeable ? "offer " : ""}`;
  const label = `${cardName(card)}${pick ? `. ${pick.words}` : ""}`;
  if (t.you === null) return html`<span class="spot">${lying(card, { extra: fifty(card) })}</span>`;
  return html`<span class="spot" @pointerenter=${(event) => event.pointerType === "mouse" && look(t, at)} @pointerleave=${() => look(t, null)} @focusin=${() => look(t, at)} @focusout=${() => look(t, null)}
    @keydown=${(event) => walk(event)}>${pressable(card, { press: () => choose(t, at), kind, label, extra: fifty(card), dim: Boolean(pick && !pick.takeable) })}</span>`;
}

function look(t, at) {
  if (t.own.look === at) return;
  t.own.look = at;
  t.redraw();
}

/** The arrows go along the pile. */
function walk(event) {
  const spot = event.currentTarget, to = { ArrowLeft: spot.previousElementSibling, ArrowRight: spot.nextElementSibling }[event.key];
  if (!to) return;
  event.preventDefault();
  to.querySelector("button")?.focus();
}

/** The first press chooses a card of the pile, the second takes it and all above it. */
function choose(t, at) {
  const { own } = t;
  if (!drawing(t)) return t.press({ words: "Take", why: t.offersOf("take")[0]?.why ?? later(t) });
  if (own.at === at) {
    const best = takes(t, at)[0];
    return best ? t.press(from(best)) : undefined;
  }
  own.at = at;
  t.quiet();
  const pick = t.helps.picks?.find((p) => p.at === at);
  if (pick?.takeable && t.helper("pick")) return t.pick(pick.ways[0].cards.filter((card) => t.view.hand.includes(card)));
  return t.redraw();
}

function faceDown(t) {
  const { view } = t;
  if (!t.scored || view.out === null) return html`<span class="last" aria-hidden="true"></span>`;
  return html`<span class="last">${view.face_down ? lying(view.face_down, { label: `${cardName(view.face_down)}: your last card, face down for the others` }) : back("", `${t.name(view.out)}'s last card, face down`)}</span>`;
}

// -- the dock -------------------------------------------------------------------------------------------------------------

const takes = (t, at) => t.offersOf("take").filter((offer) => offer.at === at);

/** The safe button while drawing: the stock, or passing once it is out. */
function drawButton(t) {
  const pass = t.offersOf("pass")[0], draw = t.offersOf("draw")[0];
  const filled = drawing(t) && (t.own.at === null || t.own.at === undefined);
  if (pass?.move) return from(pass, "E", { filled });
  return draw ? from(draw, "D", { filled }) : { words: "Draw", key: "D", why: later(t) };
}

function takeButton(t) {
  const { at } = t.own;
  if (!drawing(t)) return { words: "Take", key: "T", why: later(t) };
  if (at === null || at === undefined) return { words: "Take", key: "T", why: "Press a card of the pile first: it and all above it would be yours." };
  const best = takes(t, at)[0];
  return best ? from(best, "T", { filled: true }) : { words: "Take", key: "T", why: later(t) };
}

/** Other melds with which the chosen card can be taken, and just the picked cards. */
function others(t) {
  if (!drawing(t)) return [];
  return takes(t, t.own.at).slice(1, 4).map((offer) => from(offer, undefined, { words: `Or ${offer.words[0].toLowerCase()}${offer.words.slice(1)}` }));
}

/** What the picked cards do: a new meld, or a place on the table. @returns {import("./dock.js").Button} */
function laying(t) {
  const meld = t.offersOf("meld")[0], extend = t.offersOf("extend"), on = extend.filter((offer) => offer.move);
  if (!t.picked.length) return { words: "Meld", key: "M", why: "Pick cards of your hand to meld, or one to extend a meld with." };
  if (meld?.move) return from(meld, "M", { filled: true });
  if (on.length > 1) return { words: on[0].words, key: "M", ring: true, why: "It goes in more than one place: press the one you mean." };
  if (on.length) return from(on[0], "M", { filled: true });
  const none = t.picked.length === 1 ? extend[0] ?? meld : meld;
  return none ? from(none, "M") : { words: "Meld", key: "M", why: later(t) };
}

function discarding(t) {
  const offer = t.offersOf("discard")[0];
  return offer ? from(offer, "X", { filled: t.picked.length === 1 && !laying(t).filled }) : { words: "Discard", key: "X", why: later(t) };
}

function all(t) {
  const { plan } = t.helps, name = t.narrow ? "Meld all" : "Meld all I can", words = plan ? `${name} · ${plan.points}` : name;
  const why = !t.myTurn ? later(t) : t.view.phase === "play" ? "Nothing of your hand can be laid now." : "Draw or take first.";
  return layButton(t, words, Boolean(plan && t.myTurn), why);
}

function dock(t) {
  if (t.over || t.scored) return finished(t);
  const playing = t.myTurn && t.view.phase === "play";
  return { status: status(t), left: playing ? laying(t) : takeButton(t), right: playing ? discarding(t) : drawButton(t), auto: all(t), more: others(t) };
}

function status(t) {
  const { own, view } = t;
  if (!t.myTurn) return `${lately(t)}${t.waiting()}`;
  if (view.phase === "draw") {
    const looked = own.look ?? own.at, pick = t.helper("pile") ? t.helps.picks?.find((p) => p.at === looked) : null;
    if (own.at !== null && own.at !== undefined && (own.look ?? own.at) === own.at) {
      const best = takes(t, own.at)[0];
      return best?.why ?? (best ? `${best.words}: ${best.points} points.` : "");
    }
    if (pick) return `${short(pick.card)}: ${pick.words}`;
    const some = t.helper("pile") && t.helps.picks?.some((p) => p.takeable);
    const hint = some && !t.narrow ? " The ringed cards can be taken." : "", safe = view.stock ? "draw" : "the stock is out: pass";
    if (!view.pile.length || (t.helper("pile") && t.helps.picks && !some)) return `Your turn: ${safe}. Nothing in the pile can be taken.`;
    return `Your turn: ${safe}, or take ${some && t.narrow ? "a ringed card of" : "from"} the pile for a new meld.${hint}`;
  }
  if (!t.picked.length) return t.helps.plan && t.helper("dots") ? `You can lay ${t.helps.plan.points} points. End your turn with a discard.` : "End your turn with a discard: pick one.";
  const left = laying(t), gone = t.picked.length === 1 ? t.offersOf("discard")[0] : null;
  const caution = gone?.caution && warned(t, gone) ? ` ${gone.caution}` : "";
  if (left.why && gone?.move && !left.ring) return `${gone.words}?${caution}`;
  return left.why ?? `${left.offer.words}: ${left.offer.points} points.`;
}

/** What the seat on turn has laid since its turn began. */
function lately(t) {
  const lines = t.live.lines, start = lines.findLastIndex((line) => ["discard", "pass", "dealt", "hand"].includes(line.kind));
  const points = lines.slice(start + 1).filter((line) => ["take", "meld", "extend"].includes(line.kind) && line.seat === t.view.turn)
    .reduce((sum, line) => sum + line.data.points, 0);
  return points ? `${t.name(t.view.turn)} laid ${points}. ` : "";
}

/** Whether to warn of a discard. `serious`: only of a gift, or of feeding somebody whose next turn may be the last. */
function warned(t, offer, serious = false) {
  const card = offer.move?.card, gift = t.helps.gifts?.includes(card), feed = t.helps.feeds?.includes(card);
  return Boolean((gift && t.helper("gifts")) || (feed && t.helper("feeds") && (offer.near || !serious)) || (!gift && !feed));
}

const cautions = (t, offer) => offer.kind !== "discard" || warned(t, offer, true);

/** Another's last card goes face down to its place. */
function flyDown(t) {
  const { root, view } = t, from = root.querySelector(`[data-seat="${view.out}"] header`), to = root.querySelector(".thai-mid .last");
  if (from?.offsetParent && to?.offsetParent) fly(from, to);
}

/** A choice in the pile lasts as long as the question. */
function follow(t) {
  const { own, view } = t;
  if (t.scored && own.scored === false && view.out !== null && view.out !== t.you) requestAnimationFrame(() => flyDown(t));
  own.scored = t.scored;
  if (!drawing(t) || own.length !== view.pile.length) own.at = own.look = null;
  if (own.length !== view.pile.length) {
    own.length = view.pile.length;
    requestAnimationFrame(() => {
      const box = t.root.querySelector(".thai-mid .pilebox");
      if (box) box.scrollLeft = box.scrollWidth;
    });
  }
}

// -- seats and hand -------------------------------------------------------------------------------------------------------

/** A seat's own melds, then what it laid on those of others, with a mark of where it belongs. */
function meldsOf(t, seat) {
  const { melds } = t.view;
  const links = melds.filter((m) => m.owner !== seat && m.by.includes(seat)).map((m) => {
    const cards = m.cards.filter((_, i) => m.by[i] === seat);
    return { id: `on${m.id}`, on: m, kind: m.kind, owner: seat, cards, by: cards.map(() => seat) };
  });
  return [...melds.filter((m) => m.owner === seat), ...links];
}

function meld(t, m) {
  if (m.on) return linked(t, m);
  const here = t.offers.filter((offer) => offer.meld === m.id && offer.move && !offer.stale && t.picked.length);
  return html`<div class=${`meld ${m.kind}${here.length ? " open" : ""}`} role="group" aria-label=${meldName(t, m)} data-meld=${m.id} .style=${`--k:${m.cards.length}`}>
    ${m.cards.map((card, i) => lain(t, m, card, m.by[i]))}
    ${here.map((offer) => html`<button type="button" class=${`slot ${here.length === 1 ? `whole to-${offer.end}` : offer.end ?? "whole"}`}
      aria-label=${`${offer.words}, ${offer.points} points: on ${meldName(t, m)}`} @click=${() => t.offer(offer)}>
      <span aria-hidden="true">${short(t.picked[0])}</span></button>`)}
  </div>`;
}

/** A card of a meld; one that lies in front of somebody else is only shown in its place. */
function lain(t, m, card, seat) {
  if (seat === m.owner) return lying(card, { kind: t.isNew(card) ? "new" : "", extra: fifty(card) });
  const label = `${cardName(card)}, in front of ${seat === t.you ? "you" : t.name(seat)}`;
  return lying(card, { still: true, kind: "ghost", label, extra: html`<i class="by" .style=${`--hue:${hue(seat)}`}></i>` });
}

function linked(t, m) {
  const on = m.on.kind === "run" ? `${short(m.on.cards[0])}–${short(m.on.cards.at(-1))}` : m.on.cards.slice(0, 3).map(short).join(" ");
  return html`<div class="meld link" role="group" aria-label=${`On ${meldName(t, m.on)}`}>
    ${m.cards.map((card) => lying(card, { kind: t.isNew(card) ? "new" : "", extra: fifty(card) }))}
    <span class="to" .style=${`--hue:${hue(m.on.owner)}`} title=${`On ${meldName(t, m.on)}`}>on ${on}</span></div>`;
}

function figures(t, seat, plain) {
  const { view } = t, { target, floor, doubling } = view.options, took = view.turn === seat && !t.scored ? view.took.length : 0;
  const net = t.scored ? view.scores.at(-1)?.[seat] : null;
  const twice = doubling === "on" && view.dark[seat] && !t.scored;
  const facts = [
    html`<span>shown ${view.melded[seat]}</span>`,
    seat === t.you ? html`<span>held ${view.held}</span>` : nothing,
    view.gifts[seat] ? html`<span class="cost" title="Discards that went on the table">gifts ${sign(-50 * view.gifts[seat])}</span>` : nothing,
    twice ? html`<span class="twice" title="Who has laid nothing before the last turn of a hand scores double">${t.narrow ? "×2" : "×2 possible"}</span>` : nothing,
  ];
  return {
    score: sign(view.totals[seat]),
    hand: net === null || net === undefined ? null : `${net < 0 ? "" : "+"}${sign(net)}`,
    meter: (view.totals[seat] - floor) / (target - floor),
    badge: plain.badge ?? (took ? `took ${took}` : null),
    tone: took && !plain.badge ? "took" : "",
    extra: html`<p class="thai-facts">${facts}</p>`,
  };
}

function marks(t) {
  const marks = new Map(), { helps, view } = t;
  const put = (card, label) => marks.set(card, { dot: true, label });
  if (t.helper("dots") && view.phase === "play" && t.myTurn) {
    for (const way of helps.melds ?? []) for (const card of way.cards) put(card, "can be melded");
    for (const fit of helps.fits ?? []) put(fit.card, "can be laid on the table");
  }
  for (const card of view.hand ?? []) {
    if (DEAR.has(card)) marks.set(card, { ...marks.get(card), extra: html`${fifty(card)}${marks.get(card)?.dot ? html`<i class="can"></i>` : nothing}` });
  }
  return marks;
}

// -- sheets ---------------------------------------------------------------------------------------------------------------

const title = (t) => `Hand ${t.view.deals} · to ${t.view.options.target}`;

function intro(t) {
  const { view } = t, { target, floor, doubling } = view.options, most = Math.max(...view.totals);
  const lead = view.totals.flatMap((total, seat) => (total === most ? [t.name(seat)] : []));
  return html`<h2>Hand ${view.deals}</h2>
    <p>${t.who(view.dealer)} ${view.dealer === t.you ? "deal" : "deals"}${view.deals > 1 ? ": the loser of a hand deals the next" : ", by lot"}.</p>
    <p>${view.deals > 1 ? `${lead.join(" and ")} ${lead.length > 1 ? "lead" : "leads"} with ${sign(most)} of ${target}.` : `Go out and have ${target} to win; ${sign(floor)} ends the game.`}</p>
    ${doubling === "on" ? html`<p class="hint">Who lays nothing before the last turn of a hand scores double, up or down.</p>` : nothing}`;
}

/** How each score came about, in the order in which it is reckoned, and the hands as they were held. */
function result(t) {
  const { view } = t, told = view.tallies;
  if (!told) return nothing;
  /** @type {[string, (tally: any) => number][]} */
  const rows = [["Shown", (l) => l.shown], ["Held", (l) => -l.held], ["Last card face down", (l) => l.out], ["Gifts", (l) => l.gifts], ["Fed the last turn", (l) => l.fed]];
  const used = rows.filter(([name, value]) => ["Shown", "Held"].includes(name) || told.some(value));
  const scope = view.options.double_scope === "cards" ? "×2 on cards" : "×2";
  return html`<p>${view.out === null ? "Everyone has passed: nobody went out." : `${t.who(view.out)} went out.`}</p>
    <div class="scroll" tabindex="0" role="region" aria-label="How the scores came about"><table class="scores tally" .style=${`--n:${told.length}`}><caption class="sr">This hand</caption>
    <thead><tr><th scope="col">This hand</th>${told.map((_, i) => html`<th scope="col" class=${i === t.you ? "mine" : ""}><span class="clip" title=${t.who(i)}>${brief(t, i)}</span></th>`)}</tr></thead>
    <tbody>${used.map(([name, value]) => html`<tr><th scope="row">${name}</th>${told.map((l) => html`<td>${value(l) ? sign(value(l)) : "0"}</td>`)}</tr>`)}
      ${told.some((l) => l.doubled) ? html`<tr><th scope="row">Doubled</th>${told.map((l) => html`<td>${l.doubled ? scope : ""}</td>`)}</tr>` : nothing}</tbody>
    <tfoot><tr><th scope="row">Score</th>${told.map((l) => html`<td>${sign(l.score)}</td>`)}</tr></tfoot></table></div>
    <h3>Left in hand</h3><ul class="thai-hands">${view.revealed.map((hand, i) => html`<li><b>${t.who(i)}</b> <span>${hand.length ? hand.map((card) => html`<span class="bit" data-suit=${card[1]}>${short(card)}</span> `)
      : i === view.out ? "went out: the last card stays face down" : "no cards"}</span></li>`)}</ul>`;
}

/** The move that newcomers miss: a card below the top of the pile. */
function yourMove(t) {
  if (!drawing(t) || !t.helper("pile")) return null;
  const deep = t.helps.picks?.find((pick) => pick.takeable && pick.at < t.view.pile.length - 1);
  return deep ? { id: "deep", words: "Take from deep in the pile", hint: `Press ${short(deep.card)}: it and all cards above it are yours, if you lay it at once in a new meld with a card of your hand.` } : null;
}

function how(t) {
  const { target = 500, floor = -500 } = t.view?.options ?? {};
  return html`<p>Cards on the table score for who laid them, cards in the hand cost. Go out, and then have ${target}, to win; whoever falls to ${sign(floor)} ends the game.</p>
  <h3>A turn</h3><ol><li><b>Draw</b> from the stock, or <b>take</b> any card of the pile with all above it: you lay it at once in a new meld, with a card of your hand in it. If the stock is out you may <b>pass</b>.</li>
    <li><b>Meld</b> sets (three or four of a rank) and runs (three or more of a suit in a row, the ace above the king), and <b>extend</b> anyone's melds: what you lay lies in front of you and counts for you.</li>
    <li><b>Discard</b> a card: a hand always ends with one. Your last card goes face down, and you are out.</li></ol>
  <h3>Points</h3><p>Queen of spades and two of clubs 50, ace 15, king to ten 10, others 5.</p>
  <h3>Scores</h3><p>What you show less what you hold; 50 for going out. A discard that fits a meld on the table is a gift and costs 50; so does throwing the card with which another begins the last turn. Who laid nothing before the last turn scores double, up or down.</p>
  <h3>An example</h3><p>Ada shows 70, holds nothing and goes out: 120. Ben shows 20, holds 35 and threw one gift: 20 − 35 − 50 = −65.</p>
  <h3>Hints</h3><ul><li>The whole pile lies open: look deeper than its top.</li><li>Lay something early, or you risk a doubled loss.</li><li>The queen of spades and the two of clubs are worth a meld, and cost much in the hand.</li></ul>`;
}

export default {
  css: "thai_rummy.css", layout: "rows", helpers, title, intro, centre, meldsOf, meld, figures, marks, dock, cautions, follow, result, yourMove, how,
  cancel(t) { t.own.at = t.own.look = null; },
  tall: (t) => t.table.seats.length === 2, // so many cards that a draw makes two rows of them on a phone
};
