// The front door: what Faircut is, the games, the tables one may sit down at or watch, what has been played. A game that
// has been chosen (`/?new=rummy`) shows the settings of a new table instead.

import { html, nothing, render, repeat } from "./vendor/lit.js";
import { lying } from "./cards.js";
import { ago, company, dated, ending, range } from "./choices.js";
import { foot, top } from "./edges.js";
import { ask, games } from "./house.js";
import { remembered, standing } from "./mine.js";
import { once } from "./settings.js";
import { Setup } from "./setup.js";

const POLL_MS = 5000;
const OWN = 3; // one's own tables are asked for in every third round
const SHOWN = 12; // finished games at first, and with each press of "Show more"
const FANS = [["9S1", "TS1", "JS1", "QS1"], ["7H1", "7C1", "7D1", "7S1"], ["KD1", "KC1", "*1", "KS1"], ["2C1", "3C1", "4C1", "5C1"],
  ["AH1", "2H1", "3H1", "4H1"], ["JD1", "QD1", "KD1", "AD1"]];

/** What was shown last, so that coming back shows it at once. */
const last = { tables: null, replays: null, more: null, mine: null };

export class Front {
  /** @param {HTMLElement} root @param {(path: string, replace?: boolean) => any} go */
  constructor(root, go) {
    this.root = root;
    this.go = go;
    this.games = null;
    this.fault = null; // why there is no catalogue
    this.away = false; // the house did not answer when it was asked last
    this.hint = innerWidth < 640 && once("phone");
    const wanted = new URLSearchParams(location.search).get("new");
    this.setup = wanted === null ? null : new Setup(wanted, (path) => (this.ended ? undefined : go(path)), () => this.draw());
    this.rounds = 0;
    this.seen = () => { this.rounds = 0; this.poll(); };
    document.addEventListener("visibilitychange", this.seen);
    this.open();
  }

  end() {
    this.ended = true;
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.seen);
  }

  async open() {
    this.fault = null;
    this.draw();
    try {
      this.games = await games();
    } catch (fault) {
      this.fault = fault.message;
    }
    this.setup?.begin(this.games);
    this.draw();
    if (!this.setup) this.poll();
  }

  // -- the lists, kept fresh --------------------------------------------------------------------------------------------

  async poll() {
    clearTimeout(this.timer);
    if (this.ended || this.setup || document.hidden) return;
    const looks = [
      ask("/tables?limit=40").then(({ tables }) => { last.tables = tables; }),
      this.paged ? null : ask(`/replays?limit=${SHOWN}`).then(({ replays, before }) => Object.assign(last, { replays, more: before })),
      !remembered().length ? (last.mine = []) : this.rounds++ % OWN ? null : standing().then((mine) => { last.mine = mine; }),
    ];
    const told = await Promise.allSettled(looks);
    this.away = told.some((one) => one.status === "rejected");
    this.timer = setTimeout(() => this.poll(), POLL_MS);
    this.draw();
  }

  /** Further finished games. */
  async more() {
    this.paged = true;
    try {
      const { replays, before } = await ask(`/replays?limit=${SHOWN}&before=${last.more}`);
      Object.assign(last, { replays: [...last.replays, ...replays], more: before });
    } catch {
      this.away = true;
    }
    this.draw();
  }

  // -- drawing ----------------------------------------------------------------------------------------------------------

  draw() {
    if (this.ended) return;
    const card = this.setup?.card;
    document.title = card ? `${card.title} · a new table · Faircut` : "Faircut";
    render(html`<div class="front">
      <a class="skip" href="#main">Skip to the content</a>
      ${this.setup ? top() : this.hero()}
      ${this.away ? html`<p class="notice" role="status">The house cannot be reached just now. What you see may be old; it is asked again every few seconds.</p>` : nothing}
      ${this.fault ? this.lost() : this.setup ? this.setup.page() : this.lists()}
      ${foot(() => this.draw())}
    </div>`, this.root);
  }

  hero() {
    return html`<header class="hero"><div class="in">
      <div><h1>Faircut</h1>
        <p>Rummy tables where everyone cuts the cards, nobody can choose the deal, and anyone can check a finished game.</p>
        <p class="how"><a href="#games">Pick a game</a> and play at once against bots, or invite people. No account is needed.</p></div>
      <div class="fan" aria-hidden="true">${["TS1", "JS1", "QS1", "KS1", "AS1"].map((one) => lying(one, { still: true }))}</div>
    </div></header>`;
  }

  lost() {
    return html`<main class="alone" id="main"><h1 tabindex="-1">Nobody answers</h1><p>${this.fault}</p>
      <p><button type="button" class="filled" @click=${() => this.open()}>Try again</button></p></main>`;
  }

  lists() {
    return html`<main id="main">
      ${this.hint ? html`<p class="notice" role="note">Faircut is made for a computer first. It plays on a phone as well; a larger window shows more of the table at once.
        <button type="button" class="small" @click=${() => { this.hint = false; this.draw(); }}>Got it</button></p>` : nothing}
      ${last.mine?.length ? this.mine() : nothing}
      <section aria-labelledby="games"><h2 id="games">Games</h2>${this.catalogue()}</section>
      <section aria-labelledby="tables"><h2 id="tables">Tables</h2>${this.tables()}</section>
      <section aria-labelledby="finished"><h2 id="finished">Finished games</h2>
        <p class="soft">Each can be played again move by move, and checked from its seed, which is public once a game is over.</p>${this.finished()}</section>
    </main>`;
  }

  catalogue() {
    if (!this.games) return html`<p class="loading" role="status">Looking for the games …</p>`;
    const all = [...this.games.values()];
    return html`<ul class=${`gamecards ${all.length % 3 ? "by-four" : "by-three"}`}>${all.map((card, i) => html`<li class="gamecard">
      <div class="felt" aria-hidden="true">${FANS[i % FANS.length].map((one) => lying(one, { still: true }))}</div>
      <p class="kind">Card game, ${range(card.seats)}</p>
      <h3>${card.title}</h3>
      <p class="teaser">${card.teaser}</p>
      <p class="acts"><a class="button filled" href=${`/?new=${card.name}`} aria-label=${`Play ${card.title}`}>Play</a>
        <a class="button" href=${`/learn/${card.name}`} aria-label=${`How to play ${card.title}`}>How to play</a></p>
    </li>`)}</ul>`;
  }

  title(name) {
    return this.games?.get(name)?.title ?? name;
  }

  mine() {
    return html`<section aria-labelledby="mine"><h2 id="mine">Your tables</h2>
      <ul class="lines">${repeat(last.mine, (table) => table.id, (table) => {
        const yours = table.deciding.some((asked) => asked.seat === table.you && asked.waits);
        const others = company(table.seats.filter((seat, i) => i !== table.you && i !== table.covered));
        const back = table.phase === "open" ? "Back" : "Play on", words = others ? `with ${others}` : "nobody else yet";
        const state = table.phase === "open" ? (table.seats.includes(null) ? "Waiting for players" : "Waiting for the start")
          : table.phase === "cutting" ? "Cutting" : yours ? "Your turn" : table.covered === null ? waited(table) : "A bot plays your seat";
        return html`<li class=${yours ? "turn" : ""}><b>${this.title(table.game)}</b><span class="names">${words}</span>
          <span class=${`state${yours ? " yours" : ""}`}>${state}</span>
          <a class=${`button ${yours ? "filled" : ""}`} href=${`/play/${table.id}`} aria-label=${`${back}: ${this.title(table.game)}, ${words}`}>${back}</a></li>`;
      })}</ul></section>`;
  }

  tables() {
    if (!last.tables) return html`<p class="loading" role="status">Looking for tables …</p>`;
    const own = new Set((last.mine ?? []).map((table) => table.id));
    const found = last.tables.filter((table) => !own.has(table.id)).map((table) => ({ table, joins: table.phase === "open" && table.seats.includes(null) }));
    const sorted = [...found.filter(({ joins }) => joins), ...found.filter(({ joins }) => !joins)];
    if (!sorted.length) return html`<p class="empty">No other table is open just now. Open one yourself: pick a game above.</p>`;
    return html`<ul class="lines">${repeat(sorted, ({ table }) => table.id, ({ table, joins }) => {
      const free = table.seats.filter((seat) => !seat).length;
      const state = joins ? `${free} of ${table.seats.length} seats free` : table.phase === "playing" ? "Running" : table.phase === "cutting" ? "Cutting" : "About to start";
      const words = company(table.seats) || `opened by ${table.host ?? "somebody"}`;
      return html`<li><b>${this.title(table.game)}</b><span class="names">${words}</span>
        <span class="state" title=${dated(table.opened_at)}>${state} · ${ago(table.opened_at)}</span>
        <a class=${`button ${joins ? "filled" : ""}`} href=${`/play/${table.id}`} aria-label=${`${joins ? "Join" : "Watch"} ${this.title(table.game)}: ${words}`}>${joins ? "Join" : "Watch"}</a></li>`;
    })}</ul>`;
  }

  finished() {
    if (!last.replays) return html`<p class="loading" role="status">Looking for finished games …</p>`;
    if (!last.replays.length) return html`<p class="empty">No game has been finished here yet. The first could be yours.</p>`;
    return html`<ul class="lines">${repeat(last.replays, (replay) => replay.id, (replay) => html`<li><b>${this.title(replay.game)}</b>
      ${result(replay)}
      <span class="state" title=${dated(replay.ended_at)}>${ago(replay.ended_at)}</span>
      <a class="button" href=${`/replays/${replay.id}`} aria-label=${`Replay of ${this.title(replay.game)}, ended ${dated(replay.ended_at)}`}>Replay</a></li>`)}</ul>
      ${last.more ? html`<p class="more"><button type="button" @click=${() => this.more()}>Show more</button></p>` : nothing}`;
  }
}

/** Whom a running table waits for. */
function waited(table) {
  const names = table.deciding.filter((asked) => asked.waits).map((asked) => table.seats[asked.seat].name);
  return names.length > 1 ? `Waiting for ${names.length} others` : names.length ? `Waiting for ${names[0]}` : "Running";
}

/** Who came in which place with how many points, or how it ended without a result. */
function result(replay) {
  if (!replay.places) return html`<span class="names">${[ending(replay.how), company(replay.seats)].filter(Boolean).join(": ")}</span>`;
  const names = replay.seats.map((seat) => seat?.name ?? "");
  const order = names.map((_, i) => i).sort((a, b) => replay.places[a] - replay.places[b]);
  return html`<ol class="names places">${order.map((i) => html`<li class=${replay.places[i] === 1 ? "first" : ""}><span class="place">${replay.places[i]}.</span> <span class="name">${names[i]}</span>
    ${replay.totals ? html`<span class="points">${String(replay.totals[i]).replace("-", "−")}</span>` : nothing}</li>`)}
    ${replay.how === "played" ? nothing : html`<li class="how">${ending(replay.how)}</li>`}</ol>`;
}
