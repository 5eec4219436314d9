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

/** A value kept in this browser, or what to take instead. */
export function load(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** Keep a value in this browser, as far as it lets us. */
export function keep(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch { /* storage is full or forbidden: it is then kept for this page alone */ }
}

/** Become a guest unless this browser is one already. */
export async function guest(name = "Guest") {
  if (me()) return me();
  const made = await ask("/guests", { body: { name } });
  keep(ME, made);
  return made;
}

/** Change the name of this browser's guest, or become one of that name. */
export async function rename(name) {
  const known = me();
  if (!known) return guest(name);
  if (known.name === name) return known;
  const told = await ask("/me", { body: { name } });
  keep(ME, { ...known, ...told });
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
      return await told(answer, text);
    } catch (fault) {
      if (fault instanceof Refused) throw fault;
      if (tries >= 4 || (!command && wanted !== "GET")) {
        throw new Refused(0, "AWAY", "The house cannot be reached just now.");
      }
      await pause(250 * 2 ** tries);
    }
  }
}

async function told(answer, text) {
  if (answer.ok) return text ? answer.text() : answer.json();
  const problem = await answer.json().catch(() => ({}));
  if (answer.status === 401) localStorage.removeItem(ME);
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
