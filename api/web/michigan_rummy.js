// The table of Michigan Rummy: a spread pile to dig in, melds that anyone may play on.

import { html, nothing, ref, repeat } from "./vendor/lit.js";
import { cardName, face, isJoker, lying, short } from "./cards.js";
import { from } from "./dock.js";
import { finished, stock } from "./generic.js";
import { brief, meld } from "./seats.js";

const ALL = "Meld all I can"; // words of the offer that melds the whole hand
const REMADE_MS = 3000; // so long a remade stock says so
const SOON_MS = 500; // a second press that comes so soon after a take was meant for the take

const helpers = [
  { id: "pile", words: "Show what the pile offers me", hint: "The top, and each deeper card with what it would meld with." },
  { id: "cannot", words: "Say at once if I cannot meld a card", hint: "When you choose a deeper card of the pile." },
  { id: "pick", words: "Pick the cards for me after a dig", hint: "Those that meld the card you took." },
  { id: "dots", words: "Dot the cards that could go down now", hint: "In your hand, while you may meld." },
  { id: "ask", words: "Ask again before a discard that could be played", hint: "When the card would go on a meld of the table." },
];

// -- the pile ---------------------------------------------------------------------------------------------------------

/** Whether this player is about to draw or take. */
const drawing = (t) => t.myTurn && t.view.phase === "draw" && !t.over;

/** The index from which the pile would be taken: what was chosen, else the top. */
const chosen = (t) => Math.min(t.own.at ?? Infinity, t.view.pile.length - 1);

const takeAt = (t, at) => t.offersOf("take").find((offer) => offer.at === at);
const pickAt = (t, at) => (drawing(t) ? t.helps.picks?.find((pick) => pick.at === at && pick.card === t.view.pile[at]) : undefined);

/** What a card of the pile would bring, in a sentence. */
function brings(t, at) {
  const pick = pickAt(t, at), card = t.view.pile[at], more = t.view.pile.length - 1 - at;
  if (!pick) return "";
  const with_ = more ? `${short(card)} and the ${more === 1 ? "card" : `${more} cards`} above: ` : `${short(card)}: `;
  if (!more) return `${with_}free to take.`;
  if (!pick.way) return `${with_}could not be melded now.`;
  const cards = pick.way.uses.map(short).join(" "), { how, owner } = pick.way;
  if (how === "new") return `${with_}melds with ${cards}.`;
  const whose = owner === t.you ? "your" : `${t.name(owner)}'s`;
  const on = t.view.melds.find((m) => m.id === pick.way.move.plays[0].meld);
  return `${with_}goes on ${whose} ${on?.kind ?? "meld"}${how === "after" ? ` after ${cards}` : ""}.`;
}

/** First press chooses, the second takes. */
function pressPile(t, at) {
  if (!drawing(t)) return t.say(t.offersOf("take").find((offer) => offer.why)?.why ?? (t.waiting() || "The hand is over."));
  const offer = takeAt(t, at), again = t.own.at === at;
  t.own.at = at;
  t.quiet();
  if (offer && (again || (!offer.move && t.helper("cannot")))) t.offer(offer);
  t.redraw();
}

function point(t, at) {
  if (t.own.point === at) return;
  t.own.point = at;
  t.redraw();
}

function arrows(t, at, event) {
  const last = t.view.pile.length - 1;
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
  if (to === undefined || to < 0 || to > last) return;
  event.preventDefault();
  const nodes = event.currentTarget.parentElement.querySelectorAll(".card");
  nodes[to]?.focus();
}

function pileCard(t, card, at, lifted) {
  const live = drawing(t), pick = pickAt(t, at), last = t.view.pile.length - 1, told = t.helper("pile");
  const deep = told && pick?.takeable && at < last;
  const dim = told && pick && !pick.takeable;
  const kind = `${at >= lifted ? "up " : ""}${live && at === t.own.at ? "chosen " : ""}${deep ? "offer " : ""}${dim ? "dim " : ""}`;
  const does = live ? `, ${at === last ? "take it" : `take ${last - at + 1} cards`}${told && pick ? `. ${brings(t, at)}` : ""}` : "";
  return html`<button type="button" class=${`card ${kind}`} data-suit=${isJoker(card) ? "J" : card[1]} data-card=${card} data-at=${at}
    tabindex=${at === chosen(t) ? 0 : -1} aria-label=${`${cardName(card)}${does}`} aria-pressed=${live ? String(at === chosen(t)) : nothing}
    @click=${() => pressPile(t, at)} @keydown=${(event) => arrows(t, at, event)}
    @pointerenter=${(event) => event.pointerType === "mouse" && point(t, at)} @pointerleave=${() => point(t, null)}
    @focus=${() => point(t, at)} @blur=${() => point(t, null)}>${face(card)}</button>`;
}

function centre(t) {
  const { pile } = t.view, live = drawing(t), draw = t.offersOf("draw")[0];
  const pointed = live ? t.own.point ?? t.own.at ?? null : null;
  const lifted = pointed === null ? Infinity : pointed;
  const press = t.you === null ? null : () => (draw ? t.offer(draw) : t.say(t.waiting() || "The hand is over."));
  const words = live && t.helper("pile") ? brings(t, pointed ?? chosen(t)) : "";
  return html`<div class="piles">
    <div class="stockplace">${stock(t, press)}${t.own.remade ? html`<span class="remade" role="status">Reshuffled</span>` : nothing}</div>
    <div class="pilebox"><div class="pile spread" role="group" aria-label=${`Discard pile, ${pile.length} cards, oldest first`} .style=${`--n:${Math.max(pile.length, 2)}`}>
      ${t.you === null ? repeat(pile, (card) => card, (card) => lying(card)) : repeat(pile, (card) => card, (card, at) => pileCard(t, card, at, lifted))}
      ${pile.length ? nothing : html`<span class="card none" aria-hidden="true"></span>`}</div></div>
    <p class="brings">${words || (t.narrow ? "" : pile.length ? `${pile.length === 1 ? "One card lies" : `${pile.length} cards lie`} in the pile.` : "The pile is empty.")}</p>
  </div>`;
}

// -- what has happened ------------------------------------------------------------------------------------------------

/** Points that the seat on turn has laid in this turn. */
function laid(t) {
  let points = 0;
  for (const line of [...t.live.lines].reverse()) {
    if (line.kind === "discard" || line.kind === "dealt" || line.kind === "hand") break;
    if (line.kind === "meld" && line.seat === t.view.turn) points += line.data.points;
  }
  return points;
}

/** Keep what the page remembers for this turn; pick the cards of a dig. */
function follow(t) {
  const { view, own } = t, turn = `${view.turns}.${view.phase}.${view.turn}`;
  if (own.turn !== turn) {
    own.turn = turn;
    own.took = view.took.length ? performance.now() : -Infinity;
    own.at = own.point = own.flip = undefined;
  }
  if (own.reshuffles !== undefined && view.reshuffles > own.reshuffles) {
    own.remade = true;
    setTimeout(() => { own.remade = false; t.redraw(); }, REMADE_MS);
  }
  own.reshuffles = view.reshuffles;
  if (own.length !== view.pile.length) {
    own.length = view.pile.length;
    requestAnimationFrame(() => {
      const box = t.root.querySelector(".pilebox");
      if (box) box.scrollLeft = box.scrollWidth;
    });
  }
  prepick(t);
  const lit = t.narrow && t.picked.length ? onto(t).find((offer) => !offer.stale)?.meld ?? null : null;
  if (lit !== null && lit !== own.lit) requestAnimationFrame(() => t.root.querySelector(`[data-meld="${lit}"]`)?.scrollIntoView({ block: "nearest" }));
  own.lit = lit;
}

/** After a dig: the cards that meld what was dug, once. */
function prepick(t) {
  const { view, own } = t;
  if (!t.myTurn || !view.must || view.phase !== "play" || own.dug === view.moves) return;
  const way = t.offers.find((offer) => offer.kind === "meld" && offer.move && !offer.stale);
  if (t.picked.length || !way) return;
  own.dug = view.moves;
  if (t.helper("pick")) t.pick(cardsOf(way.move).filter((card) => view.hand.includes(card)));
}

const cardsOf = (move) => [...(move.melds ?? []).flatMap((m) => m.cards), ...(move.plays ?? []).map((play) => play.card)];

// -- the dock ---------------------------------------------------------------------------------------------------------

const wait = (t) => (t.myTurn ? "One moment …" : t.waiting() || "One moment …");
const worth = (offer) => (offer.points ? { words: `${offer.words} · ${offer.points}` } : {});

/** New melds that the picked cards make, one for each place of spare jokers. */
const made = (t) => t.offersOf("meld").filter((offer) => offer.meld === null && offer.move && offer.words !== ALL);
const onto = (t) => t.offersOf("meld").filter((offer) => offer.meld !== null && offer.move);

function dock(t) {
  if (t.over || t.scored) return finished(t);
  const live = drawing(t), offers = t.offersOf("meld"), all = offers.find((offer) => offer.words === ALL);
  const words = t.narrow ? "Meld all" : ALL;
  const auto = all ? from(all, "A", { words: all.points ? `${words} · ${all.points}` : words }) : { words, key: "A", why: wait(t) };
  if (!t.myTurn) {
    return {
      status: status(t, null), auto,
      left: { words: "Take", key: "T", why: wait(t) }, right: { words: "Draw", key: "D", why: wait(t) },
    };
  }
  if (live) {
    const take = takeAt(t, chosen(t)), draw = t.offersOf("draw")[0];
    return {
      status: status(t, null), auto,
      left: take ? from(take, "T", { filled: t.own.at !== undefined }) : { words: "Take", key: "T", why: wait(t) },
      right: draw ? from(draw, "D", { filled: t.own.at === undefined }) : { words: "Draw", key: "D", why: wait(t) },
    };
  }
  const left = melding(t), discard = t.offersOf("discard")[0];
  const only = left.why && !onto(t).length && !discard?.caution; // nothing else can be done with what is picked
  const right = discard ? from(discard, "X", { filled: Boolean(only) }) : { words: "Discard", key: "X", why: wait(t) };
  return { status: status(t, left), left, right, auto };
}

/** The button that melds what is picked. */
function melding(t) {
  const news = made(t), places = onto(t), filled = true, key = "M";
  const offer = news.length ? news[(t.own.flip ?? 0) % news.length] : places.length === 1 ? places[0] : null;
  if (offer) return patient(t, from(offer, key, { filled, ...worth(offer) }));
  if (places.length) {
    return { words: `Play ${what(t)}`, key, why: "It goes in more than one place: press the one you mean." };
  }
  const none = t.offersOf("meld").find((found) => found.meld === null && found.words !== ALL) ?? t.offersOf("none")[0];
  return none ? from(none, key, { words: "Meld" }) : { words: "Meld", key, why: wait(t) };
}

/** The button takes the place of "Take": the second half of a double press does not meld. */
function patient(t, button) {
  const soon = () => performance.now() - t.own.took < SOON_MS;
  return { ...button, act: () => (soon() ? t.say("You have taken them. Press again to meld.") : t.offer(button.offer, button.words)) };
}

const name = (card) => (isJoker(card) ? "joker" : short(card));
const what = (t) => (t.picked.length === 1 ? name(t.picked[0]) : `${t.picked.length} cards`);

/** Over the table: to which end of a new run its spare jokers go. */
function tray(t) {
  const news = t.myTurn && !t.over ? made(t) : [];
  if (news.length < 2) return nothing;
  const at = (t.own.flip ?? 0) % news.length;
  const above = (node) => node && (node.style.bottom = `${(t.root.querySelector(".own")?.offsetHeight ?? 200) + 8}px`);
  return html`<div class="flips" role="group" aria-label="Where the joker goes" ${ref(above)}>${news.map((offer, i) => html`<button type="button" aria-pressed=${String(i === at)}
    @click=${() => { t.own.flip = i; t.redraw(); }}>${offer.words}</button>`)}</div>`;
}

function status(t, left) {
  const { view } = t, points = laid(t);
  const told = points && view.phase !== "scored" ? `${t.who(view.turn)} laid ${points}. ` : "";
  if (!t.myTurn) return `${told}${t.waiting()}`;
  if (view.phase === "draw") {
    const deep = t.helper("pile") && t.helps.picks?.some((pick) => pick.takeable && pick.at < view.pile.length - 1);
    return `Draw, or take from the pile.${deep ? " Ringed cards can be dug for." : ""}`;
  }
  if (t.picked.length) {
    if (left.why) return left.why;
    if (onto(t).length && made(t).length) return "Meld them, or press a lit place on the table.";
    if (made(t).length > 1) return "Say where the joker goes, then meld.";
    return `${told}${t.picked.length === 1 ? `This card` : `These ${t.picked.length} cards`} can go down.`;
  }
  if (view.must) return `You dug for ${short(view.must)}: meld it before you discard.`;
  const rich = t.helper("dots") ? t.helps.suggest : null;
  return `${told}${rich ? `You can meld ${rich.points} points` : "Meld if you can"}, then discard.`;
}

// -- hooks ------------------------------------------------------------------------------------------------------------

/** Dots on what could go down, a band on what has to, a mark on what a pointed card of the pile would be melded with. */
function marks(t) {
  const found = new Map(), { view, helps } = t;
  if (t.helper("dots") && view.phase === "play" && t.myTurn) {
    for (const card of [...(helps.fits ?? []).map((fit) => fit.card), ...(helps.suggest ? cardsOf(helps.suggest.move) : [])]) {
      found.set(card, { dot: true, label: "can be melded" });
    }
  }
  if (view.must && t.myTurn) found.set(view.must, { kind: "must", label: "has to be melded first", extra: html`<i class="owed" aria-hidden="true">!</i>` });
  const pick = drawing(t) && t.helper("pile") ? pickAt(t, t.own.point ?? t.own.at) : null;
  for (const card of pick?.way?.uses ?? []) if (!view.pile.includes(card)) found.set(card, { kind: "uses", label: "melds with the card of the pile" });
  return found;
}

function figures(t, seat, plain) {
  const { view } = t, took = view.turn === seat && view.took.length && !t.scored ? `took ${view.took.length}` : null;
  const net = t.scored ? view.scores.at(-1)?.[seat] : view.melded[seat];
  return {
    hand: net === undefined ? null : t.scored || net ? `${net < 0 ? "−" : "+"}${Math.abs(net)}` : null,
    meter: view.totals[seat] / view.options.target,
    badge: plain.badge ?? took,
    tone: took && !plain.badge ? "took" : undefined,
  };
}

/** A press on a meld where the picked cards do not go says why. */
function told(t, m) {
  const say = (event) => {
    if (event.target.closest("button")) return;
    const why = t.offersOf("meld").find((offer) => offer.meld === m.id && offer.why)?.why;
    if (why && t.picked.length) t.say(why);
  };
  return html`<div class="pressed" @click=${say}>${meld(t, m)}</div>`;
}

const sign = (n) => `${n < 0 ? "−" : ""}${Math.abs(n)}`;

function intro(t) {
  const { view } = t, most = Math.max(...view.totals);
  const leaders = view.totals.flatMap((total, seat) => (total === most ? [t.name(seat)] : []));
  const race = view.deals === 1 ? `The first to reach ${view.options.target} at the end of a hand wins.`
    : `${leaders.join(" and ")} ${leaders.length > 1 ? "lead" : "leads"} with ${sign(most)}: ${Math.max(0, view.options.target - most)} to go.`;
  const dealt = t.live.lines.findLast((line) => line.kind === "dealt")?.data.cards;
  const deals = `${t.who(view.dealer)} ${view.dealer === t.you ? "deal" : "deals"}`;
  return html`<h2>Hand ${view.deals}</h2><p>${deals}${dealt ? ` ${dealt} cards each` : ""}.</p><p>${race}</p>`;
}

function result(t) {
  const { view } = t, row = view.scores.at(-1);
  if (!view.revealed || !row) return nothing;
  const ended = view.out === null ? "Nobody went out: the hand had stalled." : `${t.who(view.out)} went out.`;
  return html`<p>${ended}</p><table class="hand-result">
    <caption>This hand</caption>
    <thead><tr><th scope="col">Player</th><th scope="col" class="figure">Melded</th><th scope="col">Left</th><th scope="col" class="figure">Net</th></tr></thead>
    <tbody>${row.map((net, seat) => html`<tr><th scope="row">${brief(t, seat)}</th><td class="figure">${view.melded[seat]}</td>
      <td>${view.revealed[seat].length ? html`<span class="left-cards">${view.revealed[seat].map((card) => html`<span data-suit=${isJoker(card) ? "J" : card[1]}>${short(card)}</span> `)}</span>
        <span class="soft">−${view.held[seat]}</span>` : "Went out"}</td><td class="figure"><b>${sign(net)}</b></td></tr>`)}</tbody></table>`;
}

/** The newcomer's card: the first time that a card below the top can be melded. */
function yourMove(t) {
  if (!drawing(t) || !t.helper("pile")) return null;
  const deep = t.helps.picks?.find((pick) => pick.takeable && pick.at < t.view.pile.length - 1);
  return deep ? { id: "dig", words: "Dig for a card", hint: "You may take a card from deep in the pile, with all cards above it, if you meld it at once. The ringed cards can be." } : null;
}

function how(t) {
  const { options } = t.view ?? {};
  return html`<p><b>Aim.</b> Lay cards for points. The first to reach ${options?.target ?? 500} at the end of a hand wins.</p>
    <ul>
      <li><b>Your turn:</b> draw from the stock, or take from the pile. Then meld as often as you like. End with a discard.</li>
      <li><b>Digging:</b> the top of the pile is free. Take a deeper card and you get all cards above it too, but you must meld that card at once, before you discard.</li>
      <li><b>Melds:</b> three or more of a rank, or three or more in a row of one suit. Two at least are no jokers. An ace is low or high. Anyone may play on any meld on the table.</li>
      <li><b>Jokers</b> stand for any card, and stay where they lie.</li>
      <li><b>Points:</b> joker and ace 15 (an ace at the low end of a run 1), ten to king 10, the rest 5. They count for whoever lays them, on whosever meld.</li>
      <li><b>The end of a hand:</b> somebody has no card left${options?.discard_out === "on" ? ", by a discard: at this table a meld must leave you one" : ", by a meld or a discard"}. What you still hold counts against you.</li>
    </ul>
    <p class="example"><b>An example.</b> On the pile lie 9♥, K♠, 2♣, and you hold 9♠ and 9♦. Take all three cards, lay the three nines for 15, keep king and two, and discard one card.</p>
    <p class="hints"><b>Hints.</b> Big piles are worth digging for early, and cost you late. Cards in hand are safe from others, but not from the end of the hand. Before a discard look whether it can be played on the table.</p>`;
}

export default {
  css: "michigan_rummy.css",
  layout: "rows",
  helpers,
  centre,
  follow,
  dock,
  tray,
  marks,
  figures,
  meld: told,
  intro,
  title: (t) => `Hand ${t.view.deals} · to ${t.view.options.target}`,
  result,
  yourMove,
  how,
  cautions: (t, offer) => offer.kind !== "discard" || t.helper("ask"),
  cancel(t) { t.own.at = t.own.point = t.own.flip = undefined; },
};
