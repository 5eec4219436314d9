// What opens over a table: result, options, how to play, log, chat, and what to do with the table itself.

import { html, nothing, ref } from "./vendor/lit.js";
import { result } from "./result.js";
import { chat } from "./says.js";
import { set, setHelper, setting } from "./settings.js";

/** The dialog that is open, if any. */
export function sheet(t) {
  const kinds = { result, options, how, log, chat, table: leave };
  const shown = t.sheet && kinds[t.sheet.kind];
  if (!shown) return nothing;
  return html`<dialog class=${`sheet ${t.sheet.kind}`} aria-labelledby="sheet-title" ${ref((node) => node && queueMicrotask(() => present(node)))}
    @cancel=${(event) => { event.preventDefault(); t.shut(); }} @click=${(event) => event.target === event.currentTarget && t.shut()}>
    <div class="sheet-in" tabindex="-1" autofocus>${shown(t)}<button type="button" class="close" aria-label="Close" @click=${() => t.shut()}>×</button></div></dialog>`;
}

/** Open the dialog; the focus goes to its main button as soon as there is one. */
function present(node) {
  if (!node.isConnected) return;
  if (!node.open) node.showModal();
  if (document.activeElement === node.querySelector(".sheet-in")) node.querySelector(".ends .filled, input")?.focus({ preventScroll: true });
}

function log(t) {
  const named = (line, next) => line.kind === "draw" && next?.kind === "drew" && next.seat === line.seat; // told once, with the card
  const lines = t.live.lines.filter((line, i, all) => line.words && !named(line, all[i + 1])).slice(-40).reverse();
  return html`<h2 id="sheet-title">Log</h2>
    ${lines.length ? html`<ol class="log" reversed>${lines.map((line) => html`<li>${line.words}</li>`)}</ol>` : html`<p class="soft">Nothing has happened yet.</p>`}`;
}

function how(t) {
  return html`<h2 id="sheet-title">How to play ${t.card?.title}</h2>${t.game.how(t)}
    <p><a href=${`/learn/${t.table.game}`} target="_blank" rel="noopener">The rules in full</a></p>
    <p class="ends"><button type="button" class="filled" @click=${() => t.shut()}>Play</button></p>`;
}

/** A row of choices: one of them is on. */
export function choice(words, hint, values, now, choose) {
  return html`<fieldset class="row"><legend>${words}</legend>${hint ? html`<p class="hint">${hint}</p>` : nothing}
    <div class="values">${values.map(([value, name]) => html`<button type="button" aria-pressed=${String(value === now)} @click=${() => choose(value)}>${name}</button>`)}</div></fieldset>`;
}

function options(t) {
  const row = (words, name, values, hint = "") => choice(words, hint, values, setting(name), (value) => { set(name, value); t.redraw(); });
  const onOff = [[true, "On"], [false, "Off"]], game = t.table.game;
  return html`<h2 id="sheet-title">Options</h2>
    ${t.you === null ? nothing : html`<h3>Helpers</h3>
    ${[...t.game.helpers, { id: "intro", words: "Card before each hand", hint: "Shows what the hand is about for three seconds." }].map((helper) =>
      choice(helper.words, helper.hint, onOff, t.helper(helper.id), (value) => { setHelper(game, helper.id, value); t.redraw(); }))}
    ${t.game.preferences.map((p) => choice(p.words, p.hint, p.values, p.get(t), (value) => { p.set(t, value); t.redraw(); }))}`}
    <h3>This browser</h3>
    ${row("Look", "theme", [["system", "As the device"], ["light", "Light"], ["dark", "Dark"]])}
    ${row("Cards", "deck", [["two", "Two colours"], ["four", "Four colours"], ["safe", "Colour-blind"]])}
    ${row("Sound", "sound", onOff)}
    ${row("Keys", "keys", onOff, "Single letters press the buttons that show them.")}
    ${row("Motion", "motion", onOff)}
    ${"Notification" in window ? row("Notifications", "notify", onOff, "When it is your move and the page is in the background.") : nothing}
    ${row("Vibration", "vibrate", onOff, "On your turn, while the page is in the background.")}`;
}

/** Ending the game cannot be undone: it is pressed twice. */
function ends(t) {
  const words = "End the game now", caution = "The table is closed and its record published.";
  return html`<div class="deed"><button type="button" @click=${() => t.certain(words, caution) && t.live.command("close").then((done) => done && t.shut("table"))}>${t.sure === words ? "Press again to end it for all" : words}</button><p class="hint">${caution}</p></div>`;
}

function leave(t) {
  const agreed = t.table.agreed.includes(t.you), people = t.table.seats.filter((seat) => seat?.kind === "human" && !seat.left);
  const act = (name, words, hint, body = {}) => html`<div class="deed"><button type="button" @click=${() => t.live.command(name, body).then((done) => done && t.shut("table"))}>${words}</button><p class="hint">${hint}</p></div>`;
  const seat = t.you === null ? null : t.table.seats[t.you], playing = t.table.phase === "playing";
  return html`<h2 id="sheet-title">This table</h2>
    <p>${t.table.seats.map((_, i) => t.name(i)).join(", ")}. <a href="/">To the front door</a>: your seat is kept for you.</p>
    ${seat && playing ? html`
      ${seat.left ? act("return", "I am back", "You play on in your seat.") : act("leave", "Leave the table", "Your seat is away until you come back; the host may let a bot play it.")}
      ${people.length < 2 ? nothing : agreed ? html`<p class="hint">You have agreed to end the game early. It ends once all have.</p>` : act("agree", "Agree to end the game", "Once everyone agrees it can be ended, and counts as nobody's loss.")}
      ${t.table.hosting || (people.length && t.table.agreed.length === people.length) ? ends(t) : nothing}
      ${t.game.resign?.(t) ?? nothing}` : nothing}
    ${t.table.hosting && playing && people.length > 1 ? html`<h3>Seats</h3>${t.table.seats.map((other, i) => (other && t.mayCover(i) ? html`<div class="deed"><button type="button" @click=${() => t.cover(i)}>Let a bot play for ${t.name(i)}</button></div>` : nothing))}
      <p class="hint">A seat whose person has left, or has not looked for a minute, may be handed to a bot.</p>` : nothing}`;
}
