// The page's way from an address to what is shown. Links inside the page change it without loading anything anew.

import { html, render } from "./vendor/lit.js";
import { shapes } from "./cards.js";
import { apply } from "./settings.js";

/** @type {[RegExp, (root: HTMLElement, name: string) => Promise<{end: () => void}>][]} */
const PAGES = [
  [/^\/$/, async (root) => new (await import("./front.js")).Front(root, go)],
  [/^\/play\/([0-9a-z]+)$/, async (root, id) => new (await import("./play.js")).Play(root, id, go)],
  [/^\/replays\/([0-9a-z]+)$/, async (root, id) => new (await import("./replay.js")).Replay(root, id, go)],
  [/^\/learn\/([0-9a-z_]+)$/, async (root, game) => new (await import("./learn.js")).Learn(root, game, go)],
];

let page = null, turn = 0, shown = "";

/** Go to an address of this site. */
export function go(path, replace = false) {
  const here = path === location.pathname + location.search + location.hash; // pressed twice it is one step back
  history[replace || here ? "replaceState" : "pushState"](null, "", path);
  return show();
}

async function show() {
  const mine = ++turn, here = location.pathname;
  shown = here + location.search;
  const found = PAGES.find(([pattern]) => pattern.test(here)) ?? PAGES[0];
  page?.end();
  page = null;
  const root = document.createElement("div");
  root.className = "page";
  root.tabIndex = -1;
  document.getElementById("app").replaceChildren(root);
  if (mine > 1) root.focus({ preventScroll: true }); // whatever had it is gone
  scrollTo(0, 0);
  let made;
  try {
    made = await found[1](root, here.match(found[0])?.[1] ?? "");
  } catch (fault) {
    console.warn(fault);
    if (mine === turn) render(lost, root);
    return;
  }
  if (mine === turn) page = made;
  else made.end();
}

/** A part of the page that cannot be loaded; a browser may remember that until the page is loaded anew. */
const lost = html`<main class="alone" id="main"><h1 tabindex="-1">Nobody answers</h1><p>This page could not be loaded: the house cannot be reached just now.</p>
  <p><button type="button" class="filled" @click=${() => location.reload()}>Try again</button></p></main>`;

addEventListener("popstate", () => { if (location.pathname + location.search !== shown) show(); }); // else it went to a part of the page
document.addEventListener("click", (event) => {
  const link = /** @type {HTMLAnchorElement | null} */ (/** @type {Element} */ (event.target).closest?.("a[href]"));
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || link.target) return;
  const to = new URL(link.href);
  if (to.origin !== location.origin || !PAGES.some(([pattern]) => pattern.test(to.pathname))) return;
  if (to.pathname === location.pathname && to.search === location.search && to.hash) return;
  event.preventDefault();
  go(to.pathname + to.search + to.hash);
});

apply();
const defs = document.createElement("div");
document.body.append(defs);
render(shapes, defs);
show();
