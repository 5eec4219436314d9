// The top and the foot of every page that is not a table being played.

import { html, nothing } from "./vendor/lit.js";
import { me } from "./house.js";
import { set, setting } from "./settings.js";

const LOOKS = [["system", "As the device"], ["light", "Light"], ["dark", "Dark"]];

/** A narrow bar with the way back to the front door. */
export function top() {
  return html`<header class="top"><div class="in"><a class="brand" href="/"><svg viewBox="0 0 100 100" aria-hidden="true"><use href="#suit-S"></use></svg>Faircut</a></div></header>`;
}

/** Where to read more, and how the page looks. `changed` is called when that has been chosen. */
export function foot(changed) {
  const known = me();
  return html`<footer class="foot"><div class="in">
    <p>${known ? html`In this browser you are <b>${known.name}</b>. ` : nothing}Every table leaves a signed record:
      <a href="/web/api.html">how to check one, and the API</a> · <a href="/schema">OpenAPI</a> · <a href="/.well-known/faircut/keys">keys</a></p>
    <div class="looks" role="group" aria-label="Look of the page">${LOOKS.map(([value, words]) => html`<button type="button" class="small" aria-pressed=${String(setting("theme") === value)}
      @click=${() => { set("theme", value); changed(); }}>${words}</button>`)}</div>
  </div></footer>`;
}
