// Talking to the house: who we are, requests and their refusals. Tokens stay in this browser's storage.

const ME = "faircut.me";

/** A refusal or a house that cannot be reached (`status` 0). `code` is for programs, the message for people. */
export class Refused extends Error {
  /** @param {number} status @param {string} code @param {string} words */
  constructor(status, code, words) {
    super(words);
    this.status = status;
    this.code = code;
  }
}

/** Who this browser is: {person, name, token}, or null. */
export function me() {
  return load(ME, null);
}

/** What this browser would not keep, as JSON by key: it lasts as long as the page. @type {Map<string, string>} */
const here = new Map();

/** A value kept in this browser, or what to take instead. */
export function load(key, otherwise) {
  try {
    return JSON.parse(here.get(key) ?? localStorage.getItem(key) ?? "null") ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** Keep a value in this browser; if its storage is full or forbidden, for this page alone. */
export function keep(key, value) {
  const text = JSON.stringify(value);
  try {
    localStorage.setItem(key, text);
    here.delete(key);
  } catch {
    here.set(key, text);
  }
}

/** Keep nothing under these keys any more. @param {string[]} keys */
export function forget(...keys) {
  for (const key of keys) {
    here.delete(key);
    try {
      localStorage.removeItem(key);
    } catch {
      // a browser that keeps nothing has nothing to forget
    }
  }
}

let ahead = 0; // ms by which the house's clock is ahead of this device's, where that is wrong by more than a little
const LITTLE_MS = 3000;

/** Take note of when an answer was made: the later it is here, the less it tells. */
function heed(answer) {
  const late = Date.parse(answer.headers.get("date") ?? "") - Date.now();
  if (Math.abs(late) <= LITTLE_MS) ahead = 0;
  else if (late > ahead || ahead - late > LITTLE_MS) ahead = late; // neither, where there is no date
}

/** The time by the house's clock, ms since 1970: what its times are measured against. */
export const now = () => Date.now() + ahead;

/** Become a guest unless this browser is one already. */
export async function guest(name = "Guest") {
  return me() ?? alone(async () => {
    if (!me()) keep(ME, await ask("/guests", { body: { name } }));
    return me();
  });
}

/** Do something that other tabs of this browser wait for before they do the same. */
const alone = (task) => (navigator.locks ? navigator.locks.request(ME, task) : task());

/** Change the name of this browser's guest, or become one of that name. */
export async function rename(name) {
  const known = me();
  if (!known) return guest(name);
  if (known.name === name) return known;
  try {
    keep(ME, { ...known, ...await ask("/me", { body: { name } }) });
  } catch (fault) {
    if (fault.status !== 401) throw fault;
    return guest(name); // the house knows this browser no more: it is somebody new
  }
  return me();
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** A fresh command id. */
export function commandId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The decoded answer of the house. Raises Refused.
 * A command (with `command`) that got no answer is sent again with the same id, which can do no harm.
 * @param {string} path
 * @param {{body?: any, method?: string, command?: string, text?: boolean}} [how]
 */
export async function ask(path, { body, method, command, text } = {}) {
  /** @type {Record<string, string>} */
  const headers = { accept: text ? "text/plain" : "application/json" };
  const known = me();
  if (known) headers.authorization = `Bearer ${known.token}`;
  if (command) headers["idempotency-key"] = command;
  if (body !== undefined) headers["content-type"] = "application/json";
  const wanted = method ?? (body === undefined ? "GET" : "POST");
  const request = { method: wanted, headers, body: body === undefined ? undefined : JSON.stringify(body) };
  for (let tries = 0; ; tries += 1) {
    try {
      const answer = await fetch(path, request);
      if (answer.status >= 502 && command && tries < 4) throw new TypeError("gateway");
      return await told(answer, text, known);
    } catch (fault) {
      if (fault instanceof Refused) throw fault;
      if (tries >= 4 || (!command && wanted !== "GET")) {
        throw new Refused(0, "AWAY", "The house cannot be reached just now.");
      }
      await pause(250 * 2 ** tries);
    }
  }
}

async function told(answer, text, sender) {
  heed(answer);
  if (answer.ok) return text ? answer.text() : answer.json();
  const problem = await answer.json().catch(() => ({}));
  if (answer.status === 401 && sender && me()?.token === sender.token) keep(ME, null); // nobody's token: another tab may have a new one
  throw new Refused(answer.status, problem.code ?? "?", problem.detail ?? answer.statusText);
}

/** The games of the catalogue, by name; asked for once. */
let catalogue = null;
export async function games() {
  catalogue ??= ask("/games").then((found) => new Map(found.games.map((game) => [game.name, game])));
  try {
    return await catalogue;
  } catch (fault) {
    catalogue = null;
    throw fault;
  }
}
