// The result sheet: the hand, the scores hand by hand, and at the end of the game the standings, chart and what next.

import { html, nothing } from "./vendor/lit.js";
import { figure } from "./cards.js";
import { chart, sums } from "./chart.js";
import { brief } from "./seats.js";
import { ask } from "./house.js";
import { takeSeat } from "./live.js";
import { save, share } from "./share.js";

const HOW = { host: "The host ended the game early.", agreed: "The game was ended by agreement.", idle: "The table was left lying.",
  resigned: "The game was resigned.", deadline: "A move did not come in time.", restored: "The table was closed: the house went back to an older copy of its log.", voided: "A promised cut did not come." };

export function result(t) {
  const { view, table } = t, n = table.seats.length;
  const ready = t.freeOf("ready").find((offer) => offer.move), waiting = view.ready?.[t.you] && !t.over;
  return html`<h2 id="sheet-title">${t.over ? headline(t) : `Hand ${view.scores?.length || view.deals} is over`}</h2>
    ${t.over && HOW[table.how] ? html`<p>${HOW[table.how]}</p>` : nothing}
    ${t.over && table.outcome ? standings(t) : nothing}
    ${t.game.result(t)}
    ${view.scores?.length ? scores(t, n) : nothing}
    ${t.over ? chart(t, t.narrow ? 360 : 640) : nothing}
    ${t.over ? also(t) : nothing}
    <div class="ends">
      ${ready ? html`<button type="button" class="filled" @click=${() => t.offer(ready)}>Next hand</button>` : nothing}
      ${waiting ? html`<p class="hint" role="status">You are ready. ${t.waiting()}</p>` : nothing}
      ${waiting && table.hosting ? html`<button type="button" @click=${() => t.live.command("hurry")}>Start without waiting</button>` : nothing}
      ${t.over ? next(t) : nothing}
      ${onward(t)}
    </div>`;
}

function headline(t) {
  const winners = t.table.outcome?.places.flatMap((place, seat) => (place === 1 ? [seat] : [])) ?? [];
  if (!winners.length) return "The table is closed";
  const names = winners.map((seat) => t.who(seat));
  const verb = names.length === 1 && names[0] !== "You" ? "wins" : "win";
  return `${names.join(" and ")} ${verb}${names.length > 1 ? " together" : ""}`;
}

function standings(t) {
  const { places, totals } = t.table.outcome;
  const order = places.map((_, i) => i).sort((a, b) => places[a] - places[b]);
  return html`<ol class="standings">${order.map((seat) => html`<li class=${seat === t.you ? "mine" : ""} value=${places[seat]}><span class="place">${places[seat]}.</span> <b>${t.name(seat)}</b> <span class="figure">${figure(totals[seat])}</span></li>`)}</ol>
    <p class="hint">${unrated(t)}</p>`;
}

/** Why a game has no rating. */
function unrated(t) {
  const { seats } = t.table;
  if (seats.some((seat) => seat?.kind === "bot")) return "Not rated: a bot sat at the table.";
  if (seats.some((seat) => seat?.cover)) return "Not rated: a bot played for somebody.";
  return "Not rated: guests played.";
}

/** Shut the sheet: to look at the table, or to go on where the next hand runs already. */
function onward(t) {
  const words = t.game.onward?.(t);
  return html`<button type="button" class=${words ? "filled" : ""} @click=${() => t.shut()}>${words ?? "Look at the table"}</button>`;
}

/** Every hand's scores and the totals under them; the totals stay while the hands scroll. */
function scores(t, n) {
  const rows = t.view.scores, totals = t.view.totals ?? sums(rows, n).at(-1);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Scores hand by hand"><table class="scores" .style=${`--n:${n}`}><caption class="sr">Scores hand by hand</caption>
    <thead><tr><th scope="col">Hand</th>${t.table.seats.map((_, i) => html`<th scope="col" class=${i === t.you ? "mine" : ""}><span class="clip" title=${t.who(i)}>${brief(t, i)}</span></th>`)}</tr></thead>
    <tbody>${rows.map((row, k) => html`<tr><th scope="row">${k + 1}</th>${row.map((score, i) => html`<td class=${t.wentOut(k) === i ? "out" : ""} title=${t.wentOut(k) === i ? "Went out" : nothing}>${figure(score)}</td>`)}</tr>`)}</tbody>
    <tfoot><tr><th scope="row">Total</th>${totals.map((total) => html`<td>${figure(total)}</td>`)}</tr></tfoot></table></div>`;
}

function next(t) {
  return t.live.next ? html`<a class="button filled" href=${`/play/${t.live.next}`}>To the next game</a>`
    : t.table.hosting ? html`<button type="button" class="filled" @click=${() => again(t)}>Play again</button>` : nothing;
}

function also(t) {
  return html`<div class="also"><a class="button" href=${`/replays/${t.id}?check`}>Check this game</a>
    <button type="button" @click=${() => share(t).then((words) => { t.shared = words; t.redraw(); })}>Share result</button>
    ${t.view.scores?.length ? html`<button type="button" @click=${() => save(t)}>Save picture</button>` : nothing}
    ${t.shared ? html`<p class="hint" role="status">${t.shared}</p>` : nothing}</div>`;
}

/** The same table anew: whoever asks for it takes their seat, and against bots alone it starts at once. */
async function again(t) {
  const mine = t.table.seats.findIndex((_, seat) => seat === t.you), opened = await t.live.command("again");
  if (!opened) return;
  const next = opened.table.id;
  try {
    const seated = mine < 0 || opened.table.seats[mine] ? opened : await takeSeat(next, mine);
    if (seated.table.seats.every((seat) => seat !== null) && seated.table.phase === "open") await ask(`/tables/${next}/start`, { body: {} });
  } catch { /* its waiting room says what is missing */ }
  if (!t.live.ended) t.go(`/play/${next}`);
}
