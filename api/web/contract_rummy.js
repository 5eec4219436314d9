// The table of Contract Rummy: a ring of seats, buying against the clock, a contract that is laid all at once.

import { html, nothing } from "./vendor/lit.js";
import { back, cardName, face, isJoker, lying, short } from "./cards.js";
import { away, building, clear, downButton, downWords, held, last, makeButton, panels, stale, told, tray, win } from "./contract_rummy_build.js";
import { meld, swaps, tighten } from "./contract_rummy_melds.js";
import { how, intro, result } from "./contract_rummy_told.js";
import { from } from "./dock.js";
import { finished, stock } from "./generic.js";
import { keep, load } from "./house.js";

const REMADE_MS = 3000; // so long a remade stock says so
const ASK = "faircut.contract_rummy.ask"; // which discards this browser asks to be asked about

const helpers = [
  { id: "slots", words: "Show where a card goes", hint: "Lights the places on the table for the cards you pick." },
  { id: "stars", words: "Star cards that win a joker", hint: "A star on each card of yours that a joker on the table stands for." },
];

const preferences = [{
  id: "ask", words: "Ask me about buying", hint: "When you are not asked, you pass by yourself.",
  values: [["ask", "Every discard"], ["helps", "If it could help"], ["never", "Never"]],
  get: (t) => t.view?.pref ?? load(ASK, "helps"),
  set: (t, value) => {
    keep(ASK, value);
    if (t.view && !t.over) t.send({ type: "buy_pref", pref: value });
  },
}];

// -- whose turn it is, and the buying -----------------------------------------------------------------------------------

const draws = (t) => t.view.phase === "draw" && !t.over;
const mine = (t) => t.you !== null && t.view.turn === t.you && !t.scored;
const open = (t) => draws(t) && t.view.window && !t.view.window.shut;
const buys = (t) => t.you !== null && draws(t) && t.view.window?.order.includes(t.you);

/** Seconds until buying closes, or null where it runs on no clock. */
const seconds = (t) => (open(t) && !t.view.window.untimed ? t.secondsLeft() : null);

const bare = (t, kind) => (t.own.bare ?? t.live.free).find((offer) => offer.kind === kind);
const one = (t, kind) => t.offers.find((offer) => offer.kind === kind && offer.meld === null) ?? bare(t, kind);

function turning(t, seat) {
  if (t.over || t.scored || t.table.phase !== "playing") return null;
  return t.view.turn === seat;
}

/** "1st", "2nd", … */
const ordinal = (n) => `${n}${["th", "st", "nd", "rd"][n] ?? "th"}`;

function buyingWords(t) {
  const w = t.view.window, card = short(w.card);
  const ahead = w.priority === 1 ? "you come first" : `you are ${ordinal(w.priority)} in line`;
  if (w.shut) {
    const served = w.order.find((seat) => w.claims.includes(seat));
    const end = served === undefined ? `Nobody buys ${card}.` : `${served === t.you ? "You are" : `${t.name(served)} is`} to have ${card} once ${t.name(t.view.turn)} draws.`;
    return `Buying has closed. ${end}`;
  }
  if (w.claims.includes(t.you)) return `You asked for ${card}: ${ahead}. ${t.name(t.view.turn)} may still take it.`;
  if (w.passed) return `You passed on ${card}. Until buying closes you may still buy it.`;
  const help = t.helps.could_help === false && !t.view.down[t.you] && !t.narrow ? " It does not look as if it helped you." : "";
  const wait = w.slow.includes(t.you) ? " The table waits for you." : "";
  return `Buy ${card} and a card of the stock? ${ahead[0].toUpperCase()}${ahead.slice(1)}.${help}${wait}`;
}

function drawWords(t) {
  const w = t.view.window, top = t.view.pile.at(-1), card = top ? short(top) : null;
  if (!w || w.shut) {
    const served = w?.order.find((seat) => w.claims.includes(seat));
    if (!card) return "Your turn: the stock is open.";
    return served === undefined ? `Your turn: take ${card}, or draw: the stock is open.` : `Take ${card}, or draw: then ${t.name(served)} buys it.`;
  }
  if (locked(t)) return "You draw as soon as buying has closed: waiting for the others.";
  return `Your turn: take ${card} now, or draw once buying has closed.`;
}

// -- the draw that waits for the stock ----------------------------------------------------------------------------------

const LOCK = (t) => `faircut.drawing.${t.id}`;
const locked = (t) => mine(t) && open(t) && load(LOCK(t), null) === t.view.turns;

function lock(t) {
  if (stale(t)) return;
  if (locked(t)) return keep(LOCK(t), null);
  keep(LOCK(t), t.view.turns);
  const decline = t.offersOf("decline").find((offer) => offer.move);
  if (decline) t.send(decline.move);
}

/** The draw that was asked for while the stock was shut is made as soon as it is open. */
function drawNext(t) {
  if (load(LOCK(t), null) !== t.view.turns || !mine(t)) return;
  if (!draws(t)) return keep(LOCK(t), null);
  const draw = t.offersOf("draw").find((offer) => offer.move && !offer.stale);
  if (!draw || !t.view.window?.shut || t.live.sending) return;
  keep(LOCK(t), null);
  if (draw.caution) t.say("The stock is open. Drawing would end the hand: press again if you mean it.");
  else t.send(draw.move);
}

// -- the middle ---------------------------------------------------------------------------------------------------------

function centre(t) {
  const { view } = t, top = view.pile.at(-1), live = mine(t) && draws(t), w = view.window, left = seconds(t);
  const take = one(t, "take"), next = locked(t);
  const drawing = live ? () => t.press(drawButton(t)) : null;
  const says = !draws(t) || !w ? "" : w.shut ? "Stock open" : w.untimed ? "Buying" : `Buying ${left} s`;
  const asked = w?.claims.length && draws(t) ? wanting(t, w.claims) : "";
  return html`<div class="piles${live ? " live" : ""}">
    <div class="place">${stock(t, drawing)}<span class="under">${next ? "Drawing next" : t.own.remade ? "Reshuffled" : "Stock"}</span></div>
    <div class="place"><span class="discards" .style=${`--n:${Math.min(view.pile.length, 3)}`}>${!top ? html`<span class="card none" role="img" aria-label="No discard"></span>`
      : live ? html`<button type="button" class="card" data-suit=${isJoker(top) ? "J" : top[1]} data-card=${top} aria-label=${`Take the ${cardName(top)}`} @click=${() => take && t.offer(take)}>${face(top)}</button>`
      : lying(top)}</span><span class="under">Discards ${view.pile.length}</span></div>
    <p class=${`clock${left !== null && left <= 5 ? " soon" : ""}`}>${says}<small>${asked}</small></p>
  </div>`;
}

/** Who would buy the card, the first in line first: "Ada and 2 others want it". */
function wanting(t, claims) {
  const [first, ...others] = claims, n = others.length;
  const also = n === 0 ? "" : ` and ${n === 1 ? t.who(others[0]) : `${n} others`}`;
  return `${t.who(first)}${also} ${n || first === t.you ? "want" : "wants"} it`;
}

const drawButton = (t) => {
  const draw = one(t, "draw");
  if (!draw) return null;
  if (mine(t) && open(t)) return { words: locked(t) ? "Drawing next" : draw.words, key: "D", act: () => lock(t), on: locked(t) };
  return from(draw, "D", { filled: true });
};

// -- tiles ----------------------------------------------------------------------------------------------------------------

function badge(t, seat) {
  const w = t.view.window;
  if (t.own.bought?.turns === t.view.turns && t.own.bought.seat === seat) return ["bought", "turn"];
  if (!draws(t) || !w?.order.includes(seat)) return null;
  if (w.claims.includes(seat)) return ["buying", "turn"];
  if (w.shut) return null;
  if (w.slow.includes(seat)) return ["slow", ""];
  if (seat === t.you && w.passed) return ["passed", ""];
  return ["deciding", ""];
}

function figures(t, seat, plain) {
  const { view } = t, [words, tone] = plain.badge ? [plain.badge, ""] : badge(t, seat) ?? [null, ""];
  const down = view.down[seat], shown = t.scored ? view.revealed?.[seat] : null;
  let extra = nothing;
  if (shown?.length && !down) extra = html`<div class="shown" aria-label=${`${t.name(seat)} held ${shown.map(short).join(" ")}`}>${shown.map((card) => lying(card, { still: true }))}</div>`;
  else if (!down && !t.scored && seat === t.you) extra = wanted(t);
  else if (!down && !t.scored && last(t) && !t.narrow) {
    extra = html`<div class="backs" .style=${`--n:${view.counts[seat]}`} aria-hidden="true">${Array.from({ length: view.counts[seat] }, () => back())}</div>`;
  }
  else if (!down && !t.scored && !t.narrow) extra = html`<p class="not-down">Not down yet</p>`;
  return { badge: words, tone, extra };
}

/** What this hand asks for, on the own tile until it is laid. */
function wanted(t) {
  const { contract } = t.view, missing = t.helps.missing;
  const kinds = [...Array(contract.sets).fill("Set"), ...Array(contract.runs).fill("Run")];
  const words = missing === undefined || missing === null ? "" : missing === 0 ? "all there" : missing === 1 ? "a card missing" : `${missing} cards missing`;
  return html`<p class="wanted"><span>${last(t) ? "All your cards as" : "To go down"}: <b>${kinds.join(" + ")}</b></span> ${words ? html`<span class=${missing ? "" : "there"}>${words}</span>` : nothing}</p>`;
}

function meldsOf(t, seat) {
  const found = t.view.melds.filter((m) => m.owner === seat);
  tighten(t, seat, found);
  return found;
}

/** Stars on cards that win a joker, dots on cards that go on the table; what lies in the tray is not in the hand. */
function marks(t) {
  const found = new Map();
  if (t.helper("slots")) {
    for (const { card } of [...(t.helps.plays ?? []), ...(t.helps.choose ?? [])]) found.set(card, { dot: true, label: "can be played" });
  }
  if (t.helper("stars")) {
    const win = [...(t.helps.useful_swaps ?? []), ...(t.own.bare ?? []).filter((offer) => offer.kind === "star").map((offer) => offer.part)];
    for (const { card } of win) found.set(card, { extra: html`<i class="star" aria-hidden="true">★</i>`, label: "wins a joker" });
  }
  for (const card of away(t)) found.set(card, { kind: "away" });
  return found;
}

// -- the dock -------------------------------------------------------------------------------------------------------------

function dock(t) {
  if (t.over || t.scored) return finished(t);
  return draws(t) ? drawing(t) : playing(t);
}

function drawing(t) {
  if (mine(t)) {
    const take = one(t, "take");
    return { status: led(t, drawWords(t)), left: take ? from(take, "T") : null, right: drawButton(t), auto: null, more: passes(t) };
  }
  const buy = one(t, "buy"), pass = one(t, "pass");
  const status = buys(t) ? buyingWords(t) : t.view.window ? `You threw ${short(t.view.window.card)}. ${waits(t)}` : waits(t);
  const refused = buy?.why ?? "Buying has closed.";
  return {
    status: led(t, status), left: buy ? from(buy, "B", { words: "Buy it" }) : null,
    right: pass ? from(pass, "N") : { words: "No thanks", key: "N", why: refused }, auto: null, more: passes(t),
  };
}

/** The status, led by what others have just played on one's melds; on a phone there is no room for both. */
const led = (t, words) => (t.own.lead ? (t.narrow ? t.own.lead : `${t.own.lead} ${words}`) : words);

const waits = (t) => (draws(t) && open(t) ? `${t.name(t.view.turn)} may take it; the others may buy it.` : `${t.name(t.view.turn)} plays.`);

const passes = (t) => t.offersOf("pass_for").map((offer) => from(offer, undefined, { words: `Pass for ${t.name(offer.move.seat)}` }));

function playing(t) {
  const whole_ = bare(t, last(t) ? "go_out" : "go_down") ?? bare(t, "lay_off");
  if (!mine(t)) {
    const why = whole_?.why ?? "It is not your turn.";
    return { status: led(t, waits(t)), left: { words: t.view.down[t.you] ? "Play" : downWords(t), key: "M", why }, right: discard(t), auto: null, more: [] };
  }
  return t.view.down[t.you] ? laying(t, whole_) : before(t, whole_);
}

function discard(t) {
  const offer = t.offersOf("discard")[0] ?? bare(t, "discard");
  return offer ? from(offer, "X", { words: offer.move ? offer.words : "Discard", filled: false }) : null;
}

/** Before going down: the contract, built by hand or by the house. */
function before(t, bare_) {
  const picked = t.picked.length > 0, again = downButton(t, picked ? "A" : "M", bare_);
  const star = t.offersOf("star").find((offer) => !offer.stale && picked);
  const status = building(t) ? told(t) : star ? `${short(t.picked[0])} can win a joker: press the place where it lies.`
    : picked ? pickedWords(t) : t.helps.suggest ? last(t) ? "All your cards make three runs: go out." : "Your contract is there: go down, or discard." : "Pick cards to build with, or one to discard.";
  return { status, left: picked ? makeButton(t, "M") : again, right: discard(t), auto: picked ? again : null, more: [] };
}

const pickedWords = (t) => {
  const made = t.offersOf("set", "run").find((offer) => offer.part);
  if (made) return `${made.words}: it goes down with the rest.`;
  return t.picked.length === 1 ? `${short(t.picked[0])}: discard it, or pick more cards.` : "Pick the cards of a set or a run.";
};

/** Once down: cards on melds of the table. */
function laying(t, all) {
  const offers = t.offersOf("lay_off").filter((offer) => !offer.stale), ways = offers.filter((offer) => offer.move);
  const spots = swaps(t), picked = t.picked.length > 0;
  /** @type {import("./dock.js").Button} */
  let left = { words: "Play", key: "M", why: "Pick a card to play." };
  if (picked) {
    const only = ways.find((offer) => offer.meld === null) ?? (ways.length === 1 && !spots.length ? ways[0] : null);
    const some = ways.length + spots.length;
    if (only) left = from(only, "M", { words: only.meld === null ? only.words : `Play ${short(t.picked[0])}`, filled: true });
    else if (some) left = { words: "Play", key: "M", why: "Choose where: press one of the lit places." };
    else left = { words: "Play", key: "M", why: offers.find((offer) => offer.why)?.why ?? "It goes on no meld of the table." };
    if (only && t.picked.length > 1 && only.meld !== null) left.words = `Play ${t.picked.length} cards`;
  }
  const list = !t.helper("slots") && picked ? ways.filter((offer) => offer.meld !== null) : [];
  return { status: layingWords(t, ways, spots, all), left, right: discard(t), auto: auto(t, all), more: list.map((offer) => from(offer)) };
}

function auto(t, all) {
  const words = "Play all I can", plays = t.helps.plays ?? [];
  if (plays.length) return { words, key: "A", act: () => playAll(t), filled: !t.picked.length };
  return { words, key: "A", why: all?.why ?? "None of your cards goes on the table." };
}

/** Every card that has one place goes down; those with several are picked for the player. */
async function playAll(t) {
  const { plays, choose } = t.helps;
  if (stale(t) || !plays?.length) return;
  if (await t.send({ type: "lay_off", plays })) t.pick((choose ?? []).map((some) => some.card).filter((card) => t.view.hand.includes(card)).slice(0, 1));
}

function layingWords(t, ways, spots, all) {
  if (t.view.went_down) return "You are down. Discard a card to end your turn.";
  if (t.own.swap) return "Joker taken: press a lit place for it, or put back to keep your card.";
  if (spots.length) return `${short(t.picked[0])} wins the joker: press the place where the joker is to go.`;
  if (t.picked.length === 1 && t.offersOf("swap").some((offer) => offer.move && !offer.stale)) return `${short(t.picked[0])} can win a joker: press the one you want.`;
  if (t.picked.length) return ways.length ? "Press a lit place, or discard." : t.picked.length === 1 ? "Discard it, or pick another card." : "These do not go on the table together.";
  const choose = t.helps.choose ?? [];
  if (choose.length && !(t.helps.plays ?? []).length) return `${choose.map((some) => short(some.card)).join(" and ")} could go in several places: pick one, then press where.`;
  if ((t.own.bare ?? []).some((offer) => offer.kind === "star")) return "A card of yours wins a joker: pick it, or discard.";
  return all?.move ? "Lay off what you can, then discard." : "Nothing to lay off: discard a card.";
}

// -- what is remembered ---------------------------------------------------------------------------------------------------

function follow(t) {
  const { view, own } = t;
  const turn = `${view.turns}.${view.phase}.${t.you}`;
  if (own.turn !== turn) {
    if (own.turn && mine(t) && view.phase === "play") own.lead = null;
    own.turn = turn;
    own.bare = null;
    clear(t);
  }
  if (!t.picked.length && t.offers.length && !stale(t)) own.bare = t.offers;
  if (own.swap && !t.picked.includes(own.swap.card)) own.swap = null;
  if (own.build && !building(t)) own.build = null;
  if (own.reshuffles !== undefined && view.reshuffles > own.reshuffles) {
    own.remade = true;
    setTimeout(() => { own.remade = false; t.redraw(); }, REMADE_MS);
  }
  own.reshuffles = view.reshuffles;
  if (own.at !== t.live.seen) {
    const since = own.at;
    own.at = t.live.seen;
    news(t, since === undefined ? [] : t.live.lines.filter((line) => line.seen > since));
  }
  if (building(t) && !held(t)) own.build = null;
  if (building(t)) placeTray(t);
  for (let seat = 0; seat < view.seats; seat += 1) {  // on a phone those who are down stand in the order in which they went down
    t.root.style.setProperty(`--order-${seat}`, Math.min(...view.melds.filter((m) => m.owner === seat).map((m) => m.id), 90));
  }
  drawNext(t);
  if (!t.askedPref && t.you !== null && t.table.phase === "playing" && !t.over && !t.live.sending) prefer(t);
}

/** A table is told once what this browser wants to be asked about. */
function prefer(t) {
  t.askedPref = true;
  const wish = load(ASK, "helps");
  if (t.view.pref !== wish) t.send({ type: "buy_pref", pref: wish });
}

/** What others did that this player should hear of: cards on its melds, and who got the card it waited for. */
function news(t, fresh) {
  const { own, view } = t;
  for (const line of fresh) {
    if (line.kind === "bought") own.bought = { seat: line.seat, turns: view.turns };
    if (line.kind === "claim" && line.seat === t.you) own.hoped = line.data.card;
    if (line.kind === "take" && line.seat !== t.you && (own.hoped === line.data.card || own.asked === line.data.card)) t.news.toast(`${t.name(line.seat)} took ${short(line.data.card)}.`);
    if (line.kind === "closed" && (own.hoped === line.data.card || own.asked === line.data.card)) {
      if (line.data.buyer !== null && line.data.buyer !== t.you) t.news.toast(`${t.name(line.data.buyer)} is ahead of you and buys ${short(line.data.card)}.`);
    }
    if (line.kind === "discard" && line.seat !== t.you) onMine(t, line.seat);
    if (line.kind === "discard" || line.kind === "dealt") own.hoped = null;
  }
  const w = view.window;
  own.asked = buys(t) && !w.shut && !w.passed && !w.claims.includes(t.you) ? w.card : null;
}

/** One sentence once the player who laid cards on one's melds has ended the turn. */
function onMine(t, seat) {
  const told_ = new Map();
  const lines = t.live.lines.slice(0, t.live.lines.findLastIndex((line) => line.kind === "discard" && line.seat === seat)).reverse();
  for (const line of lines) {
    if (["discard", "dealt", "draw", "take"].includes(line.kind)) break;
    const laid = line.kind === "lay_off" ? line.data.plays : line.kind === "swap" ? [{ card: line.data.card, meld: line.data.meld }, { card: line.data.joker, meld: line.data.to }] : [];
    for (const { card, meld: id } of laid) {
      const m = t.view.melds.find((other) => other.id === id);
      if (m?.owner === t.you) told_.set(m.kind, [short(card), ...(told_.get(m.kind) ?? [])]);
    }
  }
  if (!told_.size) return;
  t.own.lead = [...told_].map(([kind, cards]) => `${t.name(seat)} played ${cards.join(", ").replace(/, ([^,]*)$/, " and $1")} on your ${kind}.`).join(" ");
  t.news.waiting = [];
  if (!t.news.toasts.includes(t.own.lead)) t.news.toast(t.own.lead);
}

/** The tray lies over the own tile, whose place depends on the window alone; its cards shrink before it scrolls. */
function placeTray(t) {
  const box = t.root.querySelector(".tile.mine")?.getBoundingClientRect(), foot = t.root.querySelector(".own")?.getBoundingClientRect();
  if (!box || !foot) return;
  const room = t.narrow ? innerWidth - 24 : box.width - 130;
  const card = Math.max(24, Math.min(t.narrow ? 40 : Math.min(72, (box.height - 58) / 1.4), (room - 18 * panels(t).length) / panels(t).reduce((sum, n) => sum + 1 + (n - 1) * 0.6, 0)));
  const place = t.narrow ? `left:4px;right:4px;bottom:${innerHeight - foot.top + 4}px` : `left:${box.left}px;width:${box.width}px;top:${box.top}px;height:${box.height}px`;
  t.own.trayAt = `--tray-card:${Math.floor(card)}px;${place}`;
}

export default {
  css: "contract_rummy.css",
  layout: "ring",
  helpers, preferences, turning, centre, meldsOf, meld, figures, marks, dock, tray, follow, how, intro, result,
  title: (t) => `Hand ${t.view.deals} of 7 · ${asks(t.view.contract)}`,

  /** A card in the tray is not picked again. */
  picking(t, card) {
    if (!away(t).has(card)) return false;
    t.say("That card lies in the tray: undo its meld, or put it back there.");
    return true;
  },

  /** Take a joker of the table: for a place on the table once down, for the contract before. */
  takeStar(t, offer) {
    if (offer.kind === "star") return win(t, offer);
    t.own.swap = { card: offer.move.card, meld: offer.move.meld };
    t.redraw();
  },

  cancel: clear,

  /** The move that newcomers miss. */
  yourMove(t) {
    if (!mine(t) || t.view.phase !== "play" || !t.helps.suggest || building(t)) return null;
    return last(t)
      ? { id: "out", words: "You can go out", hint: "All your cards make three runs. Press “Go out”, look it over, and confirm." }
      : { id: "down", words: "Your contract is ready", hint: "Press “Go down”: the house lays it out for you to look at before you confirm." };
  },
};

/** "2 sets and a run". */
function asks({ sets, runs }) {
  const some = (n, what) => (n === 0 ? [] : [`${n} ${what}${n === 1 ? "" : "s"}`]);
  return [...some(sets, "set"), ...some(runs, "run")].join(" and ");
}
