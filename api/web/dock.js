// The dock under the hand: what to do. A button that can do nothing says why when it is pressed.

import { html, nothing } from "./vendor/lit.js";
import { setting } from "./settings.js";

/**
 * @typedef {object} Button
 * @property {string} words
 * @property {string} [key] the letter that presses it
 * @property {any} [offer] what is offered: pressing sends its move, or says why not
 * @property {() => void} [act] what pressing does instead
 * @property {string | null} [why] why it can do nothing
 * @property {boolean} [filled] whether it is the thing to do
 * @property {boolean} [ring] whether it calls for attention
 * @property {boolean} [on] whether it is switched on (a toggle)
 */

/** A button for an offer. @returns {Button} */
export function from(offer, key, more = {}) {
  return { words: offer.words, key, offer, why: offer.move ? null : offer.why, ...more };
}

/** One button of the dock. @param {any} t @param {Button | null} b */
export function button(t, b, kind) {
  if (!b) return html`<span class=${`gap ${kind}`} aria-hidden="true"></span>`;
  return html`<button type="button" class=${`${kind}${b.filled && !b.why ? " filled" : ""}${b.why ? " cannot" : ""}${b.ring ? " ring" : ""}`}
    aria-disabled=${b.why || t.live.sending ? "true" : nothing} title=${b.why || nothing} aria-pressed=${b.on === undefined ? nothing : String(b.on)}
    aria-keyshortcuts=${b.key && setting("keys") ? b.key : nothing} @click=${() => t.press(b)}>
    <span>${t.sure === b.words ? "Press again to confirm" : b.words}</span>${b.key && setting("keys") ? html`<kbd aria-hidden="true">${b.key}</kbd>` : nothing}</button>`;
}

/** The dock. `shown` is what the game's table says of it: {status, left, right, auto, more}. */
export function dock(t, shown) {
  return html`<div class=${`dock${shown.left || shown.right ? "" : " bare"}`} role="group" aria-label="What to do">
    <p class="status" role="status" aria-live="polite">${t.message ?? shown.status}</p>
    <div class="big">${button(t, shown.left, "left")}${button(t, shown.right, "right")}</div>
    <div class="more">${button(t, shown.auto, "auto")}${(shown.more ?? []).map((b) => button(t, b, "extra"))}</div>
    <div class="tools">
      <button type="button" class="reset" aria-label="Put the picked cards back" title="Put back" aria-disabled=${t.picked.length ? nothing : "true"} @click=${() => t.reset()}>↺</button>
      <button type="button" class="shift" aria-label="Move the picked cards to the left" title="Move left" @click=${() => t.move(-1)}>◀</button>
      <button type="button" class="shift" aria-label="Move the picked cards to the right" title="Move right" @click=${() => t.move(1)}>▶</button>
      ${button(t, { words: "Sort", key: "O", act: () => t.sort() }, "sort")}
    </div>
  </div>`;
}
