// How a game is played: in short, then its rules in full as the house has them.

import { html, nothing, render } from "./vendor/lit.js";
import { range } from "./choices.js";
import { foot, top } from "./edges.js";
import { ask, games } from "./house.js";
import { anchor, blocks, drawn } from "./markdown.js";

export class Learn {
  /** @param {HTMLElement} root @param {string} name of the game @param {(path: string) => any} go */
  constructor(root, name, go) {
    this.root = root;
    this.name = name;
    this.go = go;
    this.card = null;
    this.short = null; // the short how-to
    this.rules = null; // blocks of the rules
    this.fault = null; // {title, words, again}
    this.open();
  }

  end() { this.ended = true; }

  async open() {
    this.fault = null;
    this.draw();
    try {
      this.card = (await games()).get(this.name) ?? null;
      if (!this.card) {
        this.fault = { title: "No such game", words: "There is no game of that name here." };
        return this.draw();
      }
      this.draw();
      await Promise.all([this.inFull(), this.inShort()]);
    } catch (fault) {
      this.fault = { title: "Nobody answers", words: fault.message, again: true };
    }
    this.draw();
    this.arrive();
  }

  async inFull() {
    const text = await ask(`/games/${this.name}/rules`, { text: true }).catch((fault) => {
      if (fault.status === 404) return "";
      throw fault;
    });
    this.rules = blocks(text).filter((block) => block.kind !== "head" || block.level > 1);
  }

  /** What the game's own table says of it when it is asked at a table; here there is none. */
  async inShort() {
    const { tableOf } = await import("./play.js");
    const options = Object.fromEntries(this.card.options.map((option) => [option.name, option.default]));
    const table = { game: this.name, options, seats: [], phase: "open", deciding: [] };
    const nowhere = { card: this.card, table, view: null, you: null, helps: {}, offers: [], own: {}, helper: () => true };
    this.short = (await tableOf(this.name)).how(nowhere);
  }

  /** Go to the part of the page that the address names. */
  arrive() {
    document.getElementById(location.hash.slice(1))?.scrollIntoView(); // parts are named in ASCII
  }

  draw() {
    if (this.ended) return;
    document.title = this.card ? `How to play ${this.card.title} · Faircut` : "Faircut";
    render(html`<div class="front learn">${top()}${this.page()}${foot(() => this.draw())}</div>`, this.root);
  }

  page() {
    const { card, fault, rules } = this;
    if (fault) {
      return html`<main class="alone" id="main"><h1>${fault.title}</h1><p>${fault.words}</p>
        <p>${fault.again ? html`<button type="button" class="filled" @click=${() => this.open()}>Try again</button>` : html`<a class="button filled" href="/">All games</a>`}</p></main>`;
    }
    if (!card) return html`<main id="main"><p class="loading" role="status">Looking for the game …</p></main>`;
    const parts = (rules ?? []).filter((block) => block.kind === "head" && block.level === 2);
    return html`<main id="main">
      <div class="intro-words"><p class="kind">Card game, ${range(card.seats)}</p><h1>${card.title}</h1><p class="teaser">${card.teaser}</p>
        <p class="acts"><a class="button filled" href=${`/?new=${card.name}`}>Play</a><a class="button" href="/">All games</a></p></div>
      ${this.short ? html`<section class="in-short" aria-labelledby="short"><h2 id="short">In short</h2>${this.short}</section>` : nothing}
      ${rules === null ? html`<p class="loading" role="status">Looking for the rules …</p>` : rules.length ? html`
        <nav class="parts" aria-label="Parts of the rules"><h2>The rules in full</h2><ol>${parts.map((part) => html`<li><a href=${`#${anchor(part.text)}`}>${part.text}</a></li>`)}</ol></nav>
        <article class="rules">${drawn(rules)}</article>` : html`<p class="empty">The rules of this game are not written down here.</p>`}
    </main>`;
  }
}
