// The settings of a new table, and the two ways to start it: against bots, or with people.

import { html, nothing } from "./vendor/lit.js";
import { LEVELS, capital, hintOf, optionsAt, range, usualSeats, valueWords, valuesOf } from "./choices.js";
import { ask, commandId, keep, load, me, rename } from "./house.js";
import { takeSeat } from "./live.js";

const BOTS = { easy: "They play what comes", medium: "They play with care", hard: "They play to win" };

export class Setup {
  /** @param {string} name of the game @param {(path: string) => any} go @param {() => void} changed */
  constructor(name, go, changed) {
    this.name = name;
    this.go = go;
    this.changed = changed;
    this.card = null; // the catalogue's entry
    this.busy = null; // "bots" or "people" while a table is being set
    this.said = null;
    this.command = commandId(); // of the table to open: pressed twice it opens one
  }

  /** Called once the catalogue is there, or null if it is not. */
  begin(games) {
    this.missing = Boolean(games) && !games.has(this.name);
    this.card = games?.get(this.name) ?? null;
    const { card } = this;
    if (!card) return;
    const kept = load(`faircut.new.${this.name}`, {});
    const among = (values, value, usual) => (values.includes(value) ? value : usual);
    this.seats = among(card.seats, kept.seats, usualSeats(card));
    this.level = among(LEVELS, kept.level, "medium");
    this.options = Object.fromEntries(card.options.map((option) => [option.name, among(valuesOf(option), kept.options?.[option.name], option.default)]));
    this.called = me()?.name ?? "";
  }

  get withBots() { return this.card.bots.includes(this.seats); }

  choose(change) {
    Object.assign(this, change, { said: null, command: commandId() });
    const { seats, level, options } = this;
    keep(`faircut.new.${this.name}`, { seats, level, options });
    this.changed();
  }

  // -- starting ---------------------------------------------------------------------------------------------------------

  async start(how) {
    if (this.busy) return;
    const known = me();
    Object.assign(this, { busy: how, said: null });
    this.changed();
    let id = null;
    try {
      await rename(this.called.trim() || "Guest");
      const body = { game: this.name, seats: this.seats, options: this.options };
      id = (await ask("/tables", { body, command: this.command })).table.id;
      await takeSeat(id, 0);
      if (how === "bots") await this.deal(id);
      return this.go(`/play/${id}`);
    } catch (fault) {
      if (fault.status === 401 && known) { // the house knows this browser no more: be somebody new
        this.busy = null;
        return await this.start(how);
      }
      this.said = fault.message;
      // A table that stands is gone on with in its waiting room, which can do all that was left undone here.
      if (id !== null && fault.status !== 0) return this.go(`/play/${id}`);
    } finally {
      this.busy = null;
    }
    this.changed();
  }

  async deal(id) {
    for (let seat = 1; seat < this.seats; seat += 1) {
      await ask(`/tables/${id}/bots`, { body: { level: this.level, seat } });
    }
    await ask(`/tables/${id}/start`, { body: {} });
  }

  // -- drawing ----------------------------------------------------------------------------------------------------------

  page() {
    if (this.missing) {
      return html`<main class="alone" id="main"><h1>No such game</h1><p>There is no game of that name here.</p><p><a class="button filled" href="/">All games</a></p></main>`;
    }
    if (!this.card) return html`<main id="main"><p class="loading" role="status">Looking for the game …</p></main>`;
    const { card } = this;
    return html`<main id="main" class="setup">
      <div class="intro-words">
        <p class="kind">Card game, ${range(card.seats)}</p>
        <h1>${card.title}</h1>
        <p class="teaser">${card.teaser} <a class="how-link" href=${`/learn/${card.name}`}>How to play</a></p>
      </div>
      <div class="rows-of">
        ${this.row("Players", "Seats at the table, yours included.", card.seats, this.seats, usualSeats(card), String, (seats) => this.choose({ seats }))}
        ${card.bots.length ? this.row("Bots", this.withBots ? `${BOTS[this.level]}, and take the other seats when you play against bots.` : `Bots play at tables of ${this.counts()}.`, LEVELS, this.level, "medium", capital,
          (level) => this.choose({ level }), !this.withBots) : nothing}
        ${optionsAt(card, this.seats).map((option) => this.row(option.title, hintOf(option), valuesOf(option), this.options[option.name], option.default,
          (value) => valueWords(option, value), (value) => this.choose({ options: { ...this.options, [option.name]: value } })))}
      </div>
      ${this.begins()}
    </main>`;
  }

  row(words, hint, values, now, usual, called, choose, off = false) {
    return html`<fieldset class=${`option${off ? " off" : ""}`}><legend>${words}</legend><p class="hint">${hint}</p>
      <div class="values">${values.map((value) => html`<button type="button" aria-pressed=${String(value === now && !off)} aria-disabled=${off ? "true" : nothing}
        @click=${() => (off ? this.tell(hint) : choose(value))}><span>${called(value)}</span>${value === usual ? html`<small>default</small>` : nothing}</button>`)}</div></fieldset>`;
  }

  /** The seat counts at which bots play: "3 or 4", "3 to 8". */
  counts() {
    const { bots } = this.card, [first, most] = [bots[0], bots[bots.length - 1]];
    return bots.length > 2 ? `${first} to ${most}` : bots.join(" or ");
  }

  /** Why there is no playing against bots with this many seats. */
  reason() {
    if (!this.card.bots.length) return "This game is for people only.";
    return `A table of ${this.seats} is for people only. To play against bots, choose ${this.counts()} seats.`;
  }

  tell(words) {
    this.said = words;
    this.changed();
  }

  begins() {
    const button = (how, words, filled) => html`<button type="button" class=${`start${filled ? " filled" : ""}`} aria-disabled=${this.busy ? "true" : nothing}
      @click=${() => this.start(how)}>${this.busy === how ? "Setting the table …" : words}</button>`;
    return html`<aside class="begin" aria-label="Start">
      <label class="called">Your name <input .value=${this.called} maxlength="24" autocomplete="nickname" placeholder="Guest"
        @input=${(event) => { this.called = event.target.value; }}></label>
      <p class="hint">Everyone at the table sees it. No account is needed: this browser remembers you.</p>
      ${this.withBots ? nothing : html`<p class="hint why">${this.reason()}</p>`}
      <div class="ways">
        ${this.withBots ? button("bots", "Play against bots", true) : nothing}
        ${button("people", "Invite people", !this.withBots)}
      </div>
      <p class="said" role="alert">${this.said ?? ""}</p>
    </aside>`;
  }
}
