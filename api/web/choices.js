// The choices of a table in words, made from what the catalogue says of each.

import { now } from "./house.js";

/** @type {[number, string][]} */
const UNITS = [[604800, "week"], [86400, "day"], [3600, "hour"], [60, "min"], [1, "s"]];
const SPANS = [10, 30, 60, 300, 900, 3600, 21600, 86400, 259200, 604800]; // offered where any number of seconds will do

export const LEVELS = ["easy", "medium", "hard"];

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** A number of seconds in the largest unit that it fills: "45 s", "15 min", "3 days". */
export function span(seconds) {
  const [unit, word] = UNITS.find(([size]) => seconds >= size && seconds % size === 0) ?? [1, "s"];
  const many = seconds / unit;
  return `${many} ${word}${many > 1 && unit >= 3600 ? "s" : ""}`;
}

const timed = (option) => /^Seconds\b/.test(option.description);

/** What a value of an option is called. */
export function valueWords(option, value) {
  if (typeof value === "number") return timed(option) ? span(value) : String(value).replace("-", "−");
  return capital(String(value).replaceAll("_", " "));
}

/** The options that matter at a table of so many seats: where no bots play their pace is none of them. */
export const optionsAt = (card, seats) => card.options.filter((option) => option.name !== "bot_pace" || card.bots.includes(seats));

/** The sentence under an option. Seconds are shown in words, so it need not name the unit. */
export const hintOf = (option) => option.description.replace(/^Seconds\b/, "Time");

/** The values to choose from. Where any number in a range will do: its ends, the default and a few between. */
export function valuesOf(option) {
  if (option.values.length) return option.values;
  const { minimum, maximum, default: usual } = option;
  const between = option.examples ?? (timed(option) ? SPANS : [0.25, 0.5, 0.75].map((part) => Math.round(minimum + part * (maximum - minimum))));
  const all = [minimum, usual, maximum, ...between].filter((value) => value >= minimum && value <= maximum);
  return [...new Set(all)].sort((a, b) => a - b);
}

/** "2 to 8 players", "2 players". */
export function range(seats) {
  const [least, most] = [seats[0], seats[seats.length - 1]];
  return least === most ? `${least} players` : `${least} to ${most} players`;
}

/** How many seats a table has unless one says otherwise: few, but more than two, with bots where there are any. */
export function usualSeats(card) {
  return card.seats.find((n) => n > 2 && card.bots.includes(n)) ?? card.bots[0] ?? card.seats[0];
}

/** Names in a sentence: "Ada, Ben and Cleo". */
export function listed(names) {
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}` : names[0] ?? "";
}

/** Who sits there, as a sentence would say it: people by name, bots counted. Free seats are left out. */
export function company(seats) {
  const bots = LEVELS.map((level) => [level, seats.filter((seat) => seat?.kind === "bot" && seat.level === level).length]);
  const counted = bots.filter(([, many]) => many).map(([level, many]) => (many > 1 ? `${many} ${level} bots` : `${level === "easy" ? "an" : "a"} ${level} bot`));
  return listed([...seats.filter((seat) => seat?.kind === "human").map((seat) => seat.name), ...counted]);
}

/** How a table ended if nobody won it. */
export function ending(how) {
  return {
    host: "Ended by the host", agreed: "Ended by agreement", voided: "Not dealt: a promised cut did not come",
    idle: "Nobody started it", restored: "Closed: the house had to go back to an older copy", resigned: "Somebody resigned",
    deadline: "Somebody's time ran out",
  }[how] ?? capital(how ?? "");
}

/** @type {[number, string][]} */
const SINCE = [[86400, "day"], [3600, "hour"], [60, "minute"]];

/** "3 minutes ago". */
export function ago(ms) {
  const seconds = Math.max(0, (now() - ms) / 1000);
  const [size, unit] = SINCE.find(([least]) => seconds >= least) ?? [0, ""];
  return size ? new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(-Math.floor(seconds / size), /** @type {any} */ (unit)) : "just now";
}

/** A time of the wall clock, in full. */
export const dated = (ms) => new Date(ms).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
