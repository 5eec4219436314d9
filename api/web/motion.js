// Motion: every card is found again by its name after a change of the page, and slides from where it lay.

import { moves } from "./settings.js";

const MS = 320;

/** Where each card of the page lies now: name to box. */
export function places(root) {
  const found = new Map();
  if (!moves()) return found;
  for (const node of root.querySelectorAll("[data-card]")) found.set(node.dataset.card, node.getBoundingClientRect());
  return found;
}

/**
 * Slide the cards to where they are now. A card that was not to be seen before comes from `origin(card, node)`, an
 * element or null. Landing cards lie above all others.
 */
export function slide(root, before, origin) {
  if (!moves() || !before.size) return;
  let late = 0;
  for (const node of root.querySelectorAll("[data-card]")) {
    const to = node.getBoundingClientRect();
    let from = before.get(node.dataset.card);
    let wait = 0;
    if (!from) {
      from = origin(node.dataset.card, node)?.getBoundingClientRect();
      wait = from ? Math.min(late++, 14) * 35 : 0;
    }
    if (!from || !to.width || !from.width) continue;
    const x = from.left - to.left, y = from.top - to.top;
    if (Math.abs(x) < 2 && Math.abs(y) < 2) continue;
    node.animate(
      [{ translate: `${x}px ${y}px`, zIndex: 50, scale: String(Math.min(from.width / to.width, 1.5)) }, { translate: "0 0", zIndex: 50, scale: "1" }],
      { duration: MS, delay: wait, easing: "cubic-bezier(.2,.8,.3,1)", fill: "backwards" },
    );
  }
}

/** A card's back flies from one element to another: what others draw unseen. */
export function fly(from, to) {
  if (!moves() || !from || !to) return;
  const a = from.getBoundingClientRect(), b = to.getBoundingClientRect();
  const card = document.createElement("span");
  card.className = "card back flying";
  card.setAttribute("aria-hidden", "true");
  document.body.append(card);
  const size = card.getBoundingClientRect();
  const put = (box) => `${box.left + (box.width - size.width) / 2}px ${box.top + (box.height - size.height) / 2}px`;
  card.animate([{ translate: put(a) }, { translate: put(b), opacity: 0.4 }], { duration: MS, easing: "ease-out" })
    .finished.catch(() => {}).then(() => card.remove());
}
