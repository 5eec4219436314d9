// The page's own modules, run outside a page: what they find, as JSON. Node only, nothing installed.
//   node web.mjs record FILE KEYS [BLOCKS]   the report on a record; BLOCKS: a replay's events, as the house sends them
//   node web.mjs swapped FILE KEYS BLOCKS    the same, with two cards of different hands swapped from event to event
//   node web.mjs flips FILE KEYS COUNT       COUNT records with one bit flipped each: [line, first event at fault, names]
//   node web.mjs subtle FILE KEYS            digests, signature and a shuffle once more with WebCrypto
//   node web.mjs opening FILE KEYS ID        what `checkOpening` makes of an opening, and a promise to it
//   node web.mjs keys FILE                   the keys in a file
import { readFileSync } from "node:fs";
import * as fair from "../../api/web/fair.js";
import { shownOf, unfold } from "../../api/web/frames.js";
import { verify } from "../../api/web/verify.js";

const keysIn = (path) => (path === "none" ? null : fair.readKeys(readFileSync(path, "utf8")));
const events = (path) => JSON.parse(readFileSync(path, "utf8")).flatMap(unfold);
const subtle = globalThis.crypto.subtle;

function record(path, keys, blocks) {
  const rows = blocks ? events(blocks) : [];
  return verify(new Uint8Array(readFileSync(path)), keysIn(keys), shownOf(rows), rows);
}

function swapped(path, keys, blocks) {
  const data = new Uint8Array(readFileSync(path)), vouched = keysIn(keys), rows = shownOf(events(blocks));
  return rows.map((row, i) => {
    const hands = row.hands.map((hand) => [...hand]);
    const [one, other] = hands.filter((hand) => hand.length);
    if (!other) return null;
    [one[0], other[0]] = [other[0], one[0]];
    const only = [...rows.slice(0, i), { ...row, hands }];
    return { at: row.at, dealt: row.dealt !== null, found: verify(data, vouched, only).at };
  }).filter((row) => row?.dealt);
}

function flips(path, keys, count) {
  const data = new Uint8Array(readFileSync(path)), vouched = keysIn(keys), found = [];
  let line = 1, random = 12345;
  const starts = data.reduce((lines, byte, i) => (byte === 10 ? [...lines, i + 1] : lines), [0]);
  for (let i = 0; i < count; i++) {
    random = (Math.imul(random, 1103515245) + 12345) >>> 0; // a plain generator: the same bits every time
    const at = Math.floor((data.length * i) / count) + (random % Math.max(1, Math.floor(data.length / count)));
    const changed = data.slice();
    changed[at] ^= 1 << (random >>> 16) % 8;
    while (starts[line] <= at) line++;
    const report = verify(changed, vouched);
    found.push([line, report.ok, report.at, report.checks.filter((one) => one.ok === false).map((one) => one.name)]);
  }
  return found;
}

async function webcrypto(path, keys) {
  const text = readFileSync(path, "utf8"), [body, note] = text.split("\n\n");
  const H = async (...parts) => new Uint8Array(await subtle.digest("SHA-256", fair.join(...parts)));
  const M = async (key, ...parts) => {
    const own = await subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    return new Uint8Array(await subtle.sign("HMAC", own, fair.join(...parts)));
  };
  const T = (name) => fair.ascii(`faircut/1/${name}\0`);
  const lines = body.split("\n").map((line) => [line.slice(0, 64), line.slice(65)]);
  const list = lines.map(([, raw]) => JSON.parse(raw));
  const seed = fair.bytes(list.at(-1).seed), id = list[0].id, cuts = list.filter((event) => event.type === "cut");
  let d = await H(T("table"), fair.ascii(id)), key = null, ds = null, owed = 0, same = 0;
  for (const [i, [digest, raw]] of lines.entries()) {
    const blind = key ? await M(key, T("blind"), fair.uint(i + 1, 8)) : fair.ZERO;
    d = await H(T("node"), d, await H(T("leaf"), blind, fair.ascii(raw)));
    same += fair.hex(d) === digest ? 1 : 0;
    if (list[i].type === "started") [ds, owed] = [d, list[i].cuts.filter(Boolean).length];
    if (list[i].type === "cut") owed -= 1;
    if (ds && !owed && !key) {
      const parts = cuts.sort((a, b) => a.seat - b.seat).flatMap((cut) => [fair.uint(cut.seat, 1), fair.bytes(cut.cut)]);
      key = await M(seed, T("key"), ds, ...parts);
    }
  }
  const said = fair.readNote(`${body.length ? text.slice(body.length + 2) : note}`), vouched = keysIn(keys)[0];
  const own = await subtle.importKey("raw", vouched.key, "Ed25519", false, ["verify"]);
  const signed = await subtle.verify("Ed25519", own, said.signature, fair.ascii(said.text));
  const k = await M(key, T("stream"), fair.ascii("deal:1"));
  const block = await M(k, fair.uint(0, 4));
  const first = fair.stream(key, "deal:1"), drawn = Array.from(block.slice(0, 8), () => first.below(256));
  return { events: lines.length, same, signed, drawn: drawn.every((byte, i) => byte === block[i]), key: fair.hex(key) };
}

function opening(path, keys, id) {
  const { d1, ds, started } = fair.checkOpening(JSON.parse(readFileSync(path, "utf8")), id, keysIn(keys));
  const cut = fair.uint(7, 32);
  return { d1: fair.hex(d1), ds: ds && fair.hex(ds), started, cut: fair.hex(cut), promise: fair.hex(fair.promise(d1, 2, cut)) };
}

const keys = (path) => keysIn(path).map((key) => ({ ...key, key: fair.hex(key.key) }));

const [mode, ...rest] = process.argv.slice(2);
const modes = { record, swapped, flips: (path, of, count) => flips(path, of, Number(count)), subtle: webcrypto, opening, keys };
try {
  console.log(JSON.stringify(await modes[mode](...rest)));
} catch (fault) {
  if (!(fault instanceof fair.Distrust)) throw fault;
  console.log(JSON.stringify({ distrust: fault.message }));
}
