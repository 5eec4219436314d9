// Contract Rummy: the card before each hand, how to play, and how close everyone came.

import { html, nothing } from "./vendor/lit.js";
import { lying } from "./cards.js";

const SETS = [["8S1", "8H1", "8D1"], ["KC1", "KD1", "KS1"], ["4H1", "4C1", "*1"]];
const RUNS = [["5H1", "6H1", "7H1", "8H1"], ["TS1", "JS1", "QS1", "KS1"], ["AC1", "2C1", "*1", "4C1"]];

const row = (cards) => html`<span class="example">${cards.map((card) => (card ? lying(card, { still: true }) : html`<span class="card missing" role="img" aria-label="missing"></span>`))}</span>`;

/** The contract with melds that would make it. */
export function intro(t) {
  const { contract, deals, dealer } = t.view, final = contract.sets === 0 && contract.runs === 3;
  return html`<h2>Hand ${deals} of 7</h2>
    <p>${final ? "Lay your whole hand as three runs: that is the only way out." : html`To go down: <b>${words(contract)}</b>`}</p>
    <div class="examples">${[...SETS.slice(0, contract.sets), ...RUNS.slice(0, contract.runs)].map(row)}</div>
    <p class="soft">${dealer === t.you ? "You deal" : `${t.name(dealer)} deals`}, ${contract.dealt} cards each.</p>`;
}

function words({ sets, runs }) {
  const some = (n, what, size) => (n ? [`${n} ${what}${n > 1 ? "s" : ""} of ${size}`] : []);
  return [...some(sets, "set", "three"), ...some(runs, "run", "four")].join(" and ");
}

export function how() {
  return html`<p><b>Aim.</b> Seven hands. Cards you are left with cost you, and the lowest total wins.</p>
    <p><b>The contract.</b> Each hand asks for sets (three or more of one rank) and runs (four or more of one suit, one after another). You lay the whole contract at once, in sets of exactly three and runs of exactly four: that is going down. A joker stands for any card.</p>
    <p><b>A turn.</b> Take the discard or draw from the stock. Go down if you can. Discard a card. From your next turn on you lay off cards on any meld of the table, and may swap the very card a joker in a run stands for against the joker, which you lay off at once.</p>
    <p><b>Buying.</b> A discard that the next player does not want may be bought by the others: you get it and one card of the stock with it. The clock says how long you may ask; whoever sits nearer to the left of the player comes first.</p>
    <p><b>The end of a hand.</b> Discard your last card. Twos to tens cost their pips, court cards 10, aces 15, jokers 25. In the seventh hand nobody goes down: you go out with all your cards as three runs.</p>
    <div class="examples">${row(SETS[0])}${row(RUNS[0])}${row(RUNS[2])}</div>
    <p class="hint">Hints: buying too much costs as much as it brings. A joker in a run can be won from you, in a set it stays. Go down early if others hold few cards.</p>`;
}

/** How close everyone came, once the hand has ended. */
export function result(t) {
  const { leftovers, held, out } = t.view;
  if (!leftovers) return nothing;
  return html`<section class="close-by"><h3>${out === null ? "Nobody went out" : `${t.who(out)} went out`}</h3>
    <ul>${leftovers.map((left, seat) => html`<li class=${seat === t.you ? "mine" : ""}><p><b>${t.who(seat)}</b> <span class="figure">${held[seat]} points</span> <span class="soft">${told(t, left, seat)}</span></p>
      ${left.down ? left.cards.length ? row(left.cards) : nothing : html`<div class="examples">${left.groups.map((group) => row(group.cards))}</div>`}</li>`)}</ul></section>`;
}

function told(t, left, seat) {
  if (t.view.out === seat) return "went out";
  if (left.down) return left.cards.length ? `down, with ${left.cards.length === 1 ? "a card" : `${left.cards.length} cards`} left` : "down";
  if (!left.missing) return "had it all in hand";
  return left.missing === 1 ? "a card short" : `${left.missing} cards short`;
}

