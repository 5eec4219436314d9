// Trusting nobody: hashes, events in their one spelling, the chain of digests, promises and signed notes.
// Written from replay/FORMAT.md alone. Pure functions without WebCrypto, which plain http does not have.
import { hmac, sha256, verify as signedBy } from "./vendor/noble.js";

/** What was shown does not hold together; the message says where, for people. */
export class Distrust extends Error {}

/** @type {(truth: any, words: string) => asserts truth} */
function must(truth, words) {
  if (!truth) throw new Distrust(words);
}

// -- bytes -----------------------------------------------------------------------------------------------------------

export const ZERO = new Uint8Array(32);
const utf8 = new TextEncoder();

/** @param {string} text */
export const ascii = (text) => utf8.encode(text);

/** @param {Uint8Array} data */
export const hex = (data) => Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The bytes behind hex. @param {string} text */
export function bytes(text) {
  must(/^(?:[0-9a-f]{2})*$/.test(text), "not hex");
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => parseInt(text.slice(2 * i, 2 * i + 2), 16));
}

/** @param {...Uint8Array} parts */
export function join(...parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The bytes behind base64, or null if it is not in its one spelling. @param {string} text */
function base64(text) {
  try {
    const raw = atob(text);
    return btoa(raw) === text ? Uint8Array.from(raw, (char) => char.charCodeAt(0)) : null;
  } catch {
    return null;
  }
}

/** @param {Uint8Array} data @param {string} what */
function exact(data, what) {
  must(data.length === 32, `a ${what} has 32 bytes`);
  return data;
}

// -- chance ----------------------------------------------------------------------------------------------------------

/** A number in so many bytes, the most significant first. @param {number} n @param {number} size */
export const uint = (n, size) =>
  Uint8Array.from({ length: size }, (_, i) => Math.floor(n / 2 ** (8 * (size - 1 - i))) % 256);

/** @param {...Uint8Array} parts */
export const H = (...parts) => sha256(join(...parts));

/** @param {Uint8Array} key @param {...Uint8Array} parts */
export const M = (key, ...parts) => hmac(sha256, key, join(...parts));

/** What a hash is for stands in front of what is hashed. @param {string} name */
export const T = (name) => ascii(`faircut/1/${name}\0`);

const TAGS = {
  table: T("table"), leaf: T("leaf"), node: T("node"), cut: T("cut"), seed: T("seed"), key: T("key"),
  stream: T("stream"), blind: T("blind"),
};

/** d_0, where a table's chain starts. @param {string} id */
export const firstDigest = (id) => H(TAGS.table, ascii(id));

/** @param {Uint8Array} blind @param {string} text */
export const leaf = (blind, text) => H(TAGS.leaf, blind, ascii(text));

/** d_n from d_(n-1) and event n's leaf. @param {Uint8Array} before @param {Uint8Array} leaf */
export const node = (before, leaf) => H(TAGS.node, before, leaf);

/** What hides event n after the last cut. @param {Uint8Array} key @param {number} n */
export const blindOf = (key, n) => M(key, TAGS.blind, uint(n, 8));

/** What `opened` shows of a seed. @param {Uint8Array} seed @param {string} id */
export const commitment = (seed, id) => H(TAGS.seed, exact(seed, "seed"), ascii(id));

/**
 * The promise of a cut, to send when sitting down; keep the cut, and send it only once `checkOpening` has found the
 * promise in the signed start.
 * @param {Uint8Array} d1 @param {number} seat @param {Uint8Array} cut
 */
export const promise = (d1, seat, cut) => H(TAGS.cut, exact(d1, "digest"), uint(seat, 1), exact(cut, "cut"));

/**
 * The key of all chance at a table.
 * @param {Uint8Array} seed @param {Uint8Array} ds @param {Map<number, Uint8Array>} cuts by seat
 */
export function tableKey(seed, ds, cuts) {
  const parts = [...cuts].sort((a, b) => a[0] - b[0]).flatMap(([seat, cut]) => [uint(seat, 1), exact(cut, "cut")]);
  return M(exact(seed, "seed"), TAGS.key, exact(ds, "digest"), ...parts);
}

/** A labelled row of random bytes and what is drawn from it. @param {Uint8Array} key @param {string} label */
export function stream(key, label) {
  must(/^[a-z0-9_:]{1,64}$/.test(label), "no label of a stream");
  const own = M(key, TAGS.stream, ascii(label));
  /** @type {Uint8Array} */
  let block = new Uint8Array(0);
  let blocks = 0, at = 0;
  const byte = () => {
    if (at === block.length) [block, at] = [M(own, uint(blocks++, 4)), 0];
    return block[at++];
  };
  /** @param {number} n */
  const below = (n) => {
    if (n === 1) return 0;
    const width = n <= 256 ? 256 : 65536;
    for (;;) {
      const value = width === 256 ? byte() : byte() * 256 + byte();
      if (value < width - (width % n)) return value % n;
    }
  };
  /** @param {string[]} cards */
  const shuffle = (cards) => {
    const out = [...cards];
    for (let i = out.length - 1; i > 0; i--) {
      const j = below(i + 1);
      [out[i], out[j]] = [out[j], out[i]];
    }
    return out;
  };
  return { below, shuffle };
}

/** A fresh pack. @param {number} decks @param {number} jokers */
export function pack(decks, jokers) {
  const cards = [];
  for (let deck = 1; deck <= decks; deck++) {
    for (const suit of "SHDC") for (const rank of "A23456789TJQK") cards.push(`${rank}${suit}${deck}`);
  }
  for (let joker = 1; joker <= jokers; joker++) cards.push(`*${joker}`);
  return cards;
}

// -- events ----------------------------------------------------------------------------------------------------------

/** The one spelling of what JSON.parse gave. Raises Distrust for what has none. @param {any} value @returns {string} */
export function canonical(value) {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") {
    must(Number.isSafeInteger(value) && !Object.is(value, -0), "a number that is no plain integer");
    return String(value);
  }
  if (typeof value === "string") {
    must(/^[ !#-[\]-~]*$/.test(value), "text that is not plain ASCII");
    return `"${value}"`;
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const keys = Object.keys(value).sort();
  for (const key of keys) must(/^[a-z][a-z0-9_]*$/.test(key), "a field's name that is none");
  return `{${keys.map((key) => `"${key}":${canonical(value[key])}`).join(",")}}`;
}

/** @typedef {(value: any) => boolean} Fits */
/** @param {RegExp} form @returns {Fits} */
const like = (form) => (value) => typeof value === "string" && form.test(value);
/** @param {number} low @param {number} [high] @returns {Fits} */
const from = (low, high = Number.MAX_SAFE_INTEGER) => (value) =>
  Number.isInteger(value) && value >= low && value <= high;
/** @param {Fits} fits @returns {Fits} */
const listOf = (fits) => (value) => Array.isArray(value) && value.every(fits);
/** @type {Fits} */
const object = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

const HEX = like(/^[0-9a-f]{64}$/), WHO = like(/^[A-Za-z0-9_-]{1,64}$/), SEAT = from(0, 63);
const KIND = like(/^(human|bot)$/), LEVEL = like(/^(easy|medium|hard)$/);
/** @type {Fits} */
const CUT = (value) => value === null || HEX(value);
const SEATED = { seat: SEAT, "state?": HEX };

/**
 * Every type of event with its fields besides `type` and `at`; those with `?` may be left out.
 * @type {Record<string, Record<string, Fits>>}
 */
const EVENTS = {
  opened: {
    commit: HEX, game: like(/^/), id: like(/^[0-9a-z]{16,32}$/), options: object, protocol: from(1, 1),
    rules: Number.isInteger, seats: SEAT, "host?": WHO, "watch_delay?": from(1, 3_600_000),
  },
  sat: { seat: SEAT, who: WHO, kind: KIND, cut: CUT, "level?": LEVEL },
  stood: { seat: SEAT },
  started: { kinds: listOf(KIND), cuts: listOf(CUT) },
  cut: { seat: SEAT, cut: HEX },
  voided: { seats: listOf(SEAT) },
  moved: { ...SEATED, move: object, by: like(/^(person|bot|timer)$/), command: WHO },
  ticked: { "state?": HEX },
  hurried: SEATED,
  granted: { ms: from(1), since: from(0), "state?": HEX },
  left: SEATED,
  covered: { ...SEATED, level: LEVEL },
  returned: SEATED,
  agreed: SEATED,
  closed: { how: like(/^[a-z_]{1,32}$/) },
  revealed: { seed: HEX },
};

/** The event that a text spells. Raises Distrust for anything else. @param {string} text @returns {any} */
export function readEvent(text) {
  let event;
  try {
    event = JSON.parse(text);
    must(object(event) && canonical(event) === text, "not in the one spelling of an event");
  } catch (fault) {
    throw fault instanceof Distrust ? fault : new Distrust("no JSON");
  }
  const fields = Object.hasOwn(EVENTS, event.type) ? EVENTS[event.type] : null;
  must(fields, "no event that there is");
  const given = new Set(Object.keys(event));
  must(given.delete("type") && given.delete("at") && from(0)(event.at), "an event without its time");
  for (const [name, fits] of Object.entries(fields)) {
    const key = name.replace("?", "");
    const fine = given.delete(key) ? fits(event[key]) : key !== name;
    must(fine, `the field ${key} of ${event.type} is missing or malformed`);
  }
  must(given.size === 0, `a field that ${event.type} does not have`);
  return event;
}

/**
 * d_1, d_2, … of events up to the last cut, given as text.
 * @param {string[]} events @param {string} id
 */
export function digestsOf(events, id) {
  let d = firstDigest(id);
  return events.map((text) => (d = node(d, leaf(ZERO, text))));
}

// -- notes and keys --------------------------------------------------------------------------------------------------

/** @typedef {{name: string, hash: string, key: Uint8Array}} Key */
/**
 * @typedef {{kind: string, id: string, n: number | null, digest: string, name: string, hash: string,
 *   signature: Uint8Array, text: string}} Note
 */

const P = 2n ** 255n - 19n, ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const Y8 = littleEndian(bytes("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"));
const SMALL = [0n, 1n, P - 1n, Y8, P - Y8]; // of points under which one signature fits many texts

/** @param {Uint8Array} data */
function littleEndian(data) {
  return data.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
}

/** The keys in a file of them: one verifier key a line. Raises Distrust. @param {string} text @returns {Key[]} */
export function readKeys(text) {
  const keys = text.replace(/\n$/, "").split("\n").map((line, i) => {
    const found = /^([!-*,-~]{1,128})\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/.exec(line);
    const raw = found && base64(found[3]);
    must(found && raw && raw.length === 33 && raw[0] === 1, `line ${i + 1} is no key`);
    must(hex(H(ascii(`${found[1]}\n`), raw)).slice(0, 8) === found[2], `line ${i + 1}: the key has another hash`);
    const y = littleEndian(raw.subarray(1)) & (2n ** 255n - 1n);
    must(y < P && !SMALL.includes(y), `line ${i + 1}: a weak key, whose signatures would prove nothing`);
    return { name: found[1], hash: found[2], key: raw.subarray(1) };
  });
  must(new Set(keys.map((key) => `${key.name}+${key.hash}`)).size === keys.length, "the same key stands there twice");
  return keys;
}

const SAID = "faircut/1 ([a-z]+)\n([0-9a-z]{16,32})\n(?:([1-9][0-9]{0,15})\n)?([0-9a-f]{64})\n";
const NOTE = new RegExp(`^(${SAID})\n\u2014 ([!-*,-~]{1,128}) ([A-Za-z0-9+/]{91}=)\n$`);

/** The note that a text spells, its signature not looked at. Raises Distrust. @param {string} text @returns {Note} */
export function readNote(text) {
  const found = NOTE.exec(text);
  must(found, "no signed note: its text, an empty line and one line with the signature");
  const [, said, kind, id, n, digest, name, spelled] = found;
  must(["opened", "started", "checkpoint", "receipt", "record"].includes(kind), "a note of no known kind");
  must((kind === "record") === (n !== undefined), "a record's note has a number of events, others have none");
  const raw = base64(spelled);
  must(raw && raw.length === 68, "a signature that is not in its one spelling");
  must(littleEndian(raw.subarray(36)) < ORDER, "a signature that is not in its one form");
  const count = n === undefined ? null : Number(n);
  must(count === null || Number.isSafeInteger(count), "a number of events that is none");
  return { kind, id, n: count, digest, name, hash: hex(raw.subarray(0, 4)), signature: raw.subarray(4), text: said };
}

/**
 * Whether one of the keys signed a note: "signed", "unknown" (nobody vouched for the key that it names) or "forged".
 * @param {Note} note @param {Key[]} keys
 */
export function signedOf(note, keys) {
  const key = keys.find((known) => known.name === note.name && known.hash === note.hash);
  if (!key) return "unknown";
  try {
    return signedBy(note.signature, ascii(note.text), key.key) ? "signed" : "forged";
  } catch {
    return "forged";
  }
}

// -- before a cut is opened ------------------------------------------------------------------------------------------

/**
 * Check what the house shows of a table's opening. `d1` is what a promise is made to. Once the seats are closed
 * `started` has the promises as hex by seat (null: none), and a cut may be sent if its own promise stands there.
 * Raises Distrust.
 * @param {{opened: string, started: string | null, events: string[]}} opening
 * @param {string} tableId
 * @param {Key[]} keys
 * @returns {{d1: Uint8Array, ds: Uint8Array | null, started: (string | null)[] | null}}
 */
export function checkOpening(opening, tableId, keys) {
  const events = opening.events.map(readEvent);
  const digests = digestsOf(opening.events, tableId);
  must(events[0]?.type === "opened" && events[0].id === tableId, "the house shows another table's events");
  vouched(opening.opened, "opened", tableId, digests[0], keys);
  if (opening.started === null) return { d1: digests[0], ds: null, started: null };
  const at = events.findIndex((event) => event.type === "started");
  must(at > 0, "the house shows a signed start and no start");
  vouched(opening.started, "started", tableId, digests[at], keys);
  return { d1: digests[0], ds: digests[at], started: events[at].cuts };
}

/** @param {string} text @param {string} kind @param {string} id @param {Uint8Array} digest @param {Key[]} keys */
function vouched(text, kind, id, digest, keys) {
  const note = readNote(text);
  must(note.kind === kind, `the house shows a note of another kind than ${kind}`);
  must(signedOf(note, keys) === "signed", `the ${kind} note is not signed by a key that the house publishes`);
  const same = note.id === id && note.digest === hex(digest);
  must(same, `the signed ${kind} note is not of the events that the house shows`);
}
