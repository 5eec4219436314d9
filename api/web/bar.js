// The bar on top of a table, and on narrow screens the row of seat chips.

import { html, nothing } from "./vendor/lit.js";
import { figure } from "./cards.js";
import { brief, hue } from "./seats.js";

/** The bar: the hand's title, log, how to play, options, chat, leave. On a phone the tools fold into one button. */
export function bar(t) {
  const tools = [
    ["Log", "log"], ["How to play", "how"], ["Options", "options"], ["Chat", "chat"], [t.you === null && t.table.covered === null ? "Leave" : "Table", "table"],
  ];
  const last = t.live.says.findLast((said) => said.from === null || said.from !== t.you)?.id;
  const unread = last !== undefined && last !== t.read;
  return html`<header class="bar">
    <a class="home" href="/" aria-label="Faircut, to the front door"><svg viewBox="0 0 100 100" aria-hidden="true"><use href="#suit-S"></use></svg></a>
    <h1><button type="button" class="title" title="Show the card of this hand again" @click=${() => { t.intro = t.deal; t.redraw(); setTimeout(() => t.skip(), 4000); }}><span class="game-title">${t.card?.title}</span> <span class="hand-title">${t.game.title(t)}</span></button></h1>
    <nav aria-label="Table">
      ${t.narrow
        ? html`<button type="button" aria-expanded=${String(Boolean(t.folded))} @click=${() => { t.folded = !t.folded; t.redraw(); }}>More${unread ? html`<i class="unread"></i>` : nothing}</button>`
        : tools.map(([words, kind]) => tool(t, words, kind, unread))}
    </nav>
    ${t.narrow && t.folded ? html`<button type="button" class="veil" tabindex="-1" aria-hidden="true" @click=${() => { t.folded = false; t.redraw(); }}></button><div class="folded" @click=${() => { t.folded = false; t.redraw(); }}>${tools.map(([words, kind]) => tool(t, words, kind, unread))}</div>` : nothing}
  </header>`;
}

function tool(t, words, kind, unread) {
  return html`<button type="button" @click=${() => (words === "Leave" ? t.go("/") : t.open({ kind }))}>${words}${kind === "chat" && unread ? html`<i class="unread"><span class="sr">, unread</span></i>` : nothing}</button>`;
}

/** On a phone: every seat as a chip with two figures and room for a badge, from the player on the left round to the viewer. */
export function chips(t, places) {
  const order = [...places.slice(1), places[0]];
  return html`<ol class="chips" tabindex="0" aria-label="Seats">${order.map((seat) => {
    const shown = t.figures(seat);
    return html`<li class=${`chip${t.turning(seat) ? " turn" : ""}${seat === t.you ? " mine" : ""}${t.lit.has(seat) ? " lit" : ""}${shown.tone === "took" ? " took" : ""}`} data-chip=${seat} .style=${`--hue:${hue(seat)}`}>
      <span class="who"><i class="dot" aria-hidden="true"></i><b>${brief(t, seat)}</b></span>
      <span class="figures"><span class="count"><span class="sr">Cards </span>${shown.count ?? "–"}</span><span class="score"><span class="sr">Score </span>${shown.score === null ? "–" : figure(shown.score)}</span></span>
      <span class=${`badge ${shown.tone ?? ""}`}>${shown.badge ?? nothing}</span>
    </li>`;
  })}</ol>`;
}
