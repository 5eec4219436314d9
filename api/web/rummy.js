// The table of Rummy: a short pile of which the top may be taken, a deadline on each turn, hands that follow one another.

import { html, nothing } from "./vendor/lit.js";
import { pressable, short } from "./cards.js";
import { from } from "./dock.js";
import { finished, stock } from "./generic.js";
import { keep, load } from "./house.js";
import { layButton } from "./rummy_lay.js";
import { brief } from "./seats.js";

const NOTIFY = "faircut.notify.rummy";
const REMADE_MS = 3000; // so long a remade stock says so

const helpers = [
  { id: "pile", words: "Show what the pile offers me", hint: "Says how the top of the pile could be melded, and dots the cards that go with it." },
  { id: "dots", words: "Dot what could go down", hint: "Marks the cards of your hand that could be melded or laid off now." },
  { id: "discard", words: "Ask again before such a discard", hint: "A card that goes on the table asks once more before it is discarded." },
  { id: "between", words: "Score after each hand", hint: "Opens the score when a hand has ended; the next is dealt at once either way." },
];

const preferences = [{
  id: "notify", words: "Tell me when it is my move", hint: "A message of your browser while this page is in the background.",
  values: [[true, "On"], [false, "Off"]],
  get: () => load(NOTIFY, false),
  set: async (t, value) => {
    if (value && globalThis.Notification && Notification.permission === "default") await Notification.requestPermission();
    const may = value && globalThis.Notification?.permission === "granted";
    if (value && !may) t.say("Your browser does not let this page send messages.");
    keep(NOTIFY, may);
    t.redraw();
  },
}];

// -- the middle -----------------------------------------------------------------------------------------------------------

function centre(t) {
  const draw = drawing(t);
  return html`<div class="rummy-mid">
    <div class="stockplace">${stock(t, t.you === null ? null : () => t.press(draw), draw.words)}${t.own.remade ? html`<span class="remade" role="status">Reshuffled</span>` : nothing}</div>
    ${pile(t)}
    <dl class="facts">
      <div class="clock${hurried(t) ? " hurry" : ""}"><dt>${turn(t)}</dt><dd>${left(t)}</dd></div>
      <div title=${`How often the pile has been shuffled into a new stock. It is done ${t.view.reuse_at === 2 ? "twice" : `${t.view.reuse_at} times`} in a hand: once the stock is out after that, a player may end the hand`}><dt>Pile reused</dt><dd>${t.view.reuses} of ${t.view.reuse_at}</dd></div>
      <div class=${circling(t) ? "warn" : ""} title=${`Turns in a row in which nobody drew from the stock. ${t.view.circle_at} of them end the hand`}>
        <dt>Without a draw</dt><dd>${t.view.circling} of ${t.view.circle_at}</dd></div>
    </dl></div>`;
}

/** The pile, its top in front and first in the order of focus; it scrolls inside its box. */
function pile(t) {
  const { pile } = t.view, top = pile.length - 1;
  return html`<div class="rummy-pile" role="group" aria-label=${`Discard pile, ${pile.length} cards`}>
    ${pile.length ? pile.map((card, at) => pileCard(t, card, at, at === top)).reverse() : html`<span class="card none" aria-hidden="true"></span>`}</div>`;
}

function pileCard(t, card, at, top) {
  const offer = t.offers.find((o) => o.kind === "take" && o.at === at);
  const kind = `${top ? "top" : "under"}${top && offer?.move && wanted(t) ? " ring" : ""}`;
  const press = () => t.press(offer ? from(offer) : { words: "Take", why: t.you === null ? "You are watching." : t.waiting() });
  return html`<span class="spot" .style=${`z-index:${at + 1}`}>${pressable(card, { press, kind, label: top ? `${short(card)}, top of the pile` : "" })}</span>`;
}

const wanted = (t) => t.helper("pile") && t.helps.pick?.how;
const circling = (t) => t.view.circling * 2 >= t.view.circle_at;

function turn(t) {
  if (t.over) return "Game over";
  return t.view.turn === t.you ? "Your turn" : `${brief(t, t.view.turn)}'s turn`;
}

/** Seconds as people say them: "2 days 3 h", "3 h 12 min", "12 min", "45 s". */
function span(seconds) {
  const minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60), days = Math.floor(hours / 24);
  const and = (many, unit) => (many ? ` ${many} ${unit}` : "");
  if (days) return `${days} ${days > 1 ? "days" : "day"}${and(hours % 24, "h")}`;
  if (hours) return `${hours} h${and(minutes % 60, "min")}`;
  return minutes ? `${minutes} min${minutes < 5 ? and(seconds % 60, "s") : ""}` : `${seconds} s`;
}

const hurried = (t) => { const s = t.secondsLeft(); return s !== null && s < 60; };

function left(t) {
  const seconds = t.over ? null : t.secondsLeft();
  return seconds === null ? "no clock" : `${span(seconds)}${t.narrow ? "" : " left"}`;
}

// -- the dock -------------------------------------------------------------------------------------------------------------

/** The button of the stock: drawing, or ending the hand once nothing can be drawn. */
function drawing(t) {
  const end = t.offersOf("end_hand")[0], draw = t.offersOf("draw")[0];
  if (end?.move) return from(end, "E", { filled: true });
  if (draw) return from(draw, "D", { filled: !wanted(t) });
  return { words: "Draw", key: "D", why: t.waiting() };
}

function taking(t) {
  const take = t.offersOf("take").find((o) => o.at === t.view.pile.length - 1) ?? t.offersOf("take")[0];
  if (take) return from(take, "T", { filled: Boolean(wanted(t)) });
  return { words: "Take", key: "T", why: t.myTurn ? "The pile is empty." : t.waiting() };
}

/** What the picked cards do: a new meld, or where they go on the table. @returns {import("./dock.js").Button} */
function laying(t) {
  const meld = t.offersOf("meld")[0], off = t.offersOf("lay_off"), on = off.filter((o) => o.move);
  if (!t.picked.length) return { words: "Meld", key: "M", why: "Pick cards of your hand to meld or lay off." };
  if (meld?.move) return from(meld, "M", { filled: true });
  if (on.length > 1) return { words: on[0].words, key: "M", ring: true, why: `${on[0].words}: press the place on the table where it shall go.` };
  if (on.length) return from(on[0], "M", { filled: true });
  const more = t.picked.length < 3 ? off[0] ?? meld : meld ?? off[0];
  return more ? from(more, "M") : { words: "Meld", key: "M", why: "Look again in a moment." };
}

function discarding(t) {
  const offer = t.offersOf("discard")[0];
  return offer ? from(offer, "X", { filled: t.picked.length === 1 && !laying(t).filled }) : { words: "Discard", key: "X", why: t.waiting() };
}

const everything = (t) => (t.narrow ? "Meld all" : "Meld all I can");

function all(t) {
  const { plan, out } = t.helps, words = out && plan?.length ? "Go out" : everything(t);
  const why = !t.myTurn ? t.waiting() : t.view.phase === "play" ? "Nothing of your hand can be melded or laid off now." : "Draw or take first.";
  return { ...layButton(t, words, Boolean(plan?.length), why), ring: Boolean(out && plan?.length) };
}

function dock(t) {
  if (t.over) return finished(t);
  const playing = t.myTurn && t.view.phase === "play";
  return { status: status(t), left: playing ? laying(t) : taking(t), right: playing ? discarding(t) : drawing(t), auto: all(t), more: [] };
}

/** Giving the game up, in the sheet of the table: pressed twice, with what comes of it beside it. */
function resign(t) {
  const offer = t.offersOf("resign")[0];
  return offer?.move ? html`<div class="deed"><button type="button" @click=${() => t.press(from(offer))}>${t.sure === offer.words ? "Press again to resign" : offer.words}</button><p class="hint">${offer.caution}</p></div>` : nothing;
}

function status(t) {
  if (!t.myTurn) return `${lately(t)}${t.waiting()}`;
  if (t.view.phase === "draw") {
    if (t.view.dry) return "There is nothing left to draw: take the top of the pile or end the hand.";
    return t.helper("pile") && t.helps.pick ? `Your turn. ${t.helps.pick.words}` : "Your turn. Take the top of the pile or draw.";
  }
  if (t.picked.length) {
    const b = laying(t), gone = t.picked.length === 1 && t.offersOf("discard")[0];
    if (gone?.why && b.why) return gone.why;
    if (gone && b.why && !b.ring) return `${b.why} Discard it, or pick more cards.`;
    if (b.offer?.move) return `${b.words}${gone ? ", or discard it" : ""}.`;
    return b.why ?? "";
  }
  if (t.helps.out && t.helps.plan?.length) return "You can go out.";
  if (t.helps.keep) return `${short(t.helps.keep)} came from the pile: it may not be thrown back this turn.`;
  return t.helps.plan?.length ? "Meld, lay off, or pick a card to discard." : "Pick a card to discard.";
}

/** What the seat on turn has laid since its turn began. */
function lately(t) {
  const lines = t.live.lines, start = lines.findLastIndex((line) => ["discard", "dealt"].includes(line.kind));
  const laid = lines.slice(start + 1).filter((line) => ["meld", "lay_off"].includes(line.kind) && line.seat === t.view.turn);
  return laid.length ? `${laid.at(-1).words} ` : "";
}

// -- seats, hand, sheets --------------------------------------------------------------------------------------------------

function figures(t, seat, plain) {
  const { view } = t, taken = view.turn === seat ? view.taken : null;
  const known = (view.known[seat] ?? []).map(short).join(" ");
  return {
    badge: plain.badge ?? (taken ? `took ${short(taken)}` : null),
    tone: plain.badge ? "" : "took",
    meter: view.totals[seat] / 100,
    extra: seat === t.you ? nothing : html`<p class="holds" title="Taken from the pile and not laid or discarded since">${known ? `holds ${known}` : ""}</p>`,
  };
}

function marks(t) {
  const marks = new Map(), { helps } = t;
  if (t.helper("pile")) for (const card of helps.pick?.how ? helps.pick.uses : []) marks.set(card, { dot: true, label: "goes with the top of the pile" });
  if (t.helper("dots")) {
    for (const { move } of helps.plan ?? []) {
      for (const card of move.cards ?? move.plays.map((p) => p.card)) marks.set(card, { dot: true, label: "can go down" });
    }
    for (const { card } of helps.fits ?? []) marks.set(card, { dot: true, label: "can be laid off" });
  }
  const { taken } = t.view;
  if (taken && t.view.hand?.includes(taken)) marks.set(taken, { ...marks.get(taken), kind: "taken", label: "taken from the pile this turn" });
  return marks;
}

function cautions(t, offer) {
  return offer.kind !== "discard" || t.helper("discard");
}

/** A hand that has ended while one looked opens its score; a turn that has come while one looked away is told. */
function follow(t) {
  const { view, own } = t, key = `faircut.hands.${t.id}`, told = load(key, null);
  if (own.reuses < view.reuses) {
    own.remade = true;
    setTimeout(() => { own.remade = false; t.redraw(); }, REMADE_MS);
  }
  own.reuses = view.reuses;
  if (told !== view.scores.length) {
    keep(key, view.scores.length);
    if (told !== null && !t.over && !t.sheet && t.helper("between")) t.open({ kind: "result" });
  }
  const mine = t.myTurn ? `${view.deals}.${view.turns}` : null;
  if (mine && own.told !== mine && document.hidden && load(NOTIFY, false) && globalThis.Notification?.permission === "granted") {
    new Notification("Rummy: it is your move", { tag: t.id, icon: "/web/icon.svg" });
  }
  own.told = mine;
}

const title = (t) => `Hand ${t.view.deals} · to 100`;

function intro(t) {
  const { view } = t, lead = Math.max(...view.totals), first = view.totals.indexOf(lead);
  return html`<h2>Hand ${view.deals}</h2>
    <p>${t.who(view.dealer)} ${view.dealer === t.you ? "deal" : "deals"}, ${view.turn === t.you ? "you begin" : `${t.name(view.turn)} begins`}.</p>
    <ul class="race">${view.totals.map((total, i) => html`<li class=${lead && i === first ? "lead" : ""}><span>${t.who(i)}</span> <b>${total}</b> <i class="meter" aria-hidden="true"><i .style=${`width:${Math.min(100, total)}%`}></i></i></li>`)}</ul>
    <p class="hint">The first to 100 wins.${t.table.seats.some((seat) => seat?.kind === "bot") ? " Not rated: a bot sits at the table." : ""}</p>`;
}

/** Points only: nobody's cards are shown until the seed is out. */
function result(t) {
  const { view } = t, held = view.held.at(-1), row = view.scores.at(-1), out = view.outs.at(-1);
  if (!held) return nothing;
  return html`<p>${out === null ? "The hand was blocked: who held least scored." : `${t.who(out)} went out.`}</p>
    <div class="scroll" tabindex="0" role="region" aria-label="The hand"><table class="scores"><caption class="sr">This hand</caption><thead><tr><th scope="col">Player</th><th scope="col">Left in hand</th><th scope="col">Scored</th></tr></thead>
    <tbody>${held.map((points, i) => html`<tr><th scope="row">${t.who(i)}</th><td>${i === out ? "out" : points}</td><td>${row[i] ? `+${row[i]}` : "0"}</td></tr>`)}</tbody></table></div>
    <p class="hint">${t.over ? "The seed is out now: the replay shows every hand." : "Hands stay secret until the game is over. The next hand is dealt already."}</p>`;
}

/** The next hand runs already. */
const onward = (t) => (t.over ? null : `Go on to hand ${t.view.deals}`);

/** The move that newcomers miss. */
function yourMove(t) {
  const fit = t.helps.fits?.find(({ places }) => places.some((p) => t.view.melds.find((m) => m.id === p.meld)?.owner !== t.you));
  return fit && t.myTurn ? { id: "lay-off", words: "Lay off on anyone's meld", hint: `Pick ${short(fit.card)}: the melds that take it show a place. Press it.` } : null;
}

const how = () => html`<p>Be the first without cards. Who goes out scores what the others still hold; the first to come to 100 points wins.</p>
  <h3>A turn</h3><ol><li><b>Draw</b> from the stock, or <b>take</b> the top of the pile.</li>
    <li><b>Meld</b> sets (three or four of a rank) and runs (three or more of a suit in a row, ace low), and <b>lay off</b> cards on anyone's melds, as often as you like.</li>
    <li><b>Discard</b> a card. What you took from the pile this turn may not go back, unless it is your last card.</li></ol>
  <h3>The end of a hand</h3><p>You are out as your last card leaves your hand. If the stock has been remade twice and is out again, a player may end the hand; so do two rounds in which nobody draws. Then the fewest points in hand score.</p>
  <h3>Points</h3><p>Ten to king 10, ace 1, the others their number.</p>
  <h3>An example</h3><p>Ada goes out. Ben holds K♠ 4♥ A♦, that is 15, and Cy 7♣ 7♦, that is 14: Ada scores 29.</p>
  <h3>Hints</h3><ul><li>Courts and tens cost ten each when someone is near out: let them go early.</li>
    <li>An early meld helps the others lay off; a late one may stay in your hand.</li>
    <li>Each turn has a deadline. Who lets it pass loses the game, as if they had resigned.</li></ul>`;

export default { layout: "rows", css: "rummy.css", helpers, preferences, title, intro, centre, figures, marks, dock, cautions, follow, how, result, onward, resign, yourMove };
