// What this browser likes: looks, sounds, helpers. All of it changes what is drawn, never what the house accepts.

import { keep, load } from "./house.js";

const KEY = "faircut.settings";
const START = { theme: "system", deck: "two", sound: true, keys: true, motion: true, intro: true, vibrate: true, notify: false };

let now = { ...START, ...load(KEY, {}) };

/** A setting of the whole page: theme, deck, sound, keys, motion, intro, vibrate, notify. */
export const setting = (name) => now[name];

/** Change one, keep it, and let the page look as it says. */
export function set(name, value) {
  now = { ...now, [name]: value };
  if (name === "notify" && value) Notification.requestPermission();
  keep(KEY, now);
  apply();
}

/** A game's helper or preference, on unless it says otherwise. */
export function helper(game, id, otherwise = true) {
  return load(`faircut.helpers.${game}`, {})[id] ?? otherwise;
}

export function setHelper(game, id, value) {
  keep(`faircut.helpers.${game}`, { ...load(`faircut.helpers.${game}`, {}), [id]: value });
}

/** Whether something has been shown once already; from now on it has. */
export function once(id) {
  const shown = load("faircut.once", {});
  if (shown[id]) return false;
  keep("faircut.once", { ...shown, [id]: true });
  return true;
}

/** Whether things may move. */
export const moves = () => now.motion && !matchMedia("(prefers-reduced-motion: reduce)").matches;

export function apply() {
  const root = document.documentElement;
  root.dataset.theme = now.theme;
  root.dataset.deck = now.deck;
  root.dataset.motion = now.motion ? "on" : "off";
}
