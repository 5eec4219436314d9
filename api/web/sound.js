// Small sounds, made on the spot: nothing is loaded. A browser plays them only after the first press on the page.

import { setting } from "./settings.js";

let context = null;

function tone(frequency, at, length, loud) {
  const note = context.createOscillator(), volume = context.createGain();
  note.type = "triangle";
  note.frequency.value = frequency;
  volume.gain.setValueAtTime(0, at);
  volume.gain.linearRampToValueAtTime(loud, at + 0.01);
  volume.gain.exponentialRampToValueAtTime(0.0005, at + length);
  note.connect(volume).connect(context.destination);
  note.start(at);
  note.stop(at + length + 0.02);
}

const TUNES = {
  turn: [[660, 0, 0.18], [880, 0.12, 0.25]],
  card: [[240, 0, 0.06]],
  win: [[523, 0, 0.2], [659, 0.14, 0.2], [784, 0.28, 0.4]],
  end: [[440, 0, 0.2], [330, 0.16, 0.3]],
};

/** @param {"turn" | "card" | "win" | "end"} name */
export function play(name) {
  if (!setting("sound")) return;
  try {
    context ??= new AudioContext();
    if (context.state === "suspended") return void context.resume();
    for (const [frequency, after, length] of TUNES[name]) {
      tone(frequency, context.currentTime + after, length, name === "card" ? 0.05 : 0.12);
    }
  } catch { /* a browser without sound */ }
}

/** Tell whoever looks elsewhere that it is their turn. */
export function call(title) {
  if (!document.hidden) return;
  if (setting("vibrate")) navigator.vibrate?.(120);
  try {
    if (setting("notify") && Notification.permission === "granted") new Notification("Your turn", { body: title, tag: location.pathname });
  } catch { /* some phones notify through service workers alone */ }
}
