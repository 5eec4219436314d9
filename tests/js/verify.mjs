// A second reader of replay/FORMAT.md, in another language: canonical bytes, chance, chain and notes.
// It knows no game and shares no code with the rest. Node only, nothing installed.
//   node verify.mjs record FILE VERIFIER_KEY   what follows from a record, as JSON; exit code 1 if it is wrong
//   node verify.mjs below KEYS DRAWS           SHA-256 over draws from so many keys
//   node verify.mjs shuffle KEYS DECKS JOKERS  SHA-256 over shuffled packs under so many keys
import { createHash, createHmac, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";

const bytes = (hex) => Buffer.from(hex, "hex");
const ascii = (text) => Buffer.from(text, "latin1");
const H = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();
const M = (key, ...parts) => createHmac("sha256", key).update(Buffer.concat(parts)).digest();
const T = (name) => ascii(`faircut/1/${name}\0`);
const u8 = (n) => Buffer.from([n]);
const u32 = (n) => { const b = Buffer.alloc(4); b.writeUInt32BE(n); return b; };
const u64 = (n) => { const b = Buffer.alloc(8); b.writeBigUInt64BE(BigInt(n)); return b; };

class Wrong extends Error {}
const must = (truth, words) => { if (!truth) throw new Wrong(words); };

class Stream {
  constructor(key, label) {
    must(/^[a-z0-9_:]{1,64}$/.test(label), "label");
    this.key = M(key, T("stream"), ascii(label));
    this.blocks = 0;
    this.left = [];
  }
  byte() {
    if (this.left.length === 0) this.left = [...M(this.key, u32(this.blocks++))];
    return this.left.shift();
  }
  below(n) {
    if (n === 1) return 0;
    const w = n <= 256 ? 256 : 65536;
    for (;;) {
      const v = w === 256 ? this.byte() : this.byte() * 256 + this.byte();
      if (v < w - (w % n)) return v % n;
    }
  }
  shuffle(cards) {
    const a = [...cards];
    for (let i = a.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [a[i], a[j]] = [a[j], a[i]];
    }
    return a;
  }
}

function pack(decks, jokers) {
  const cards = [];
  for (let d = 1; d <= decks; d++) for (const s of "SHDC") for (const r of "A23456789TJQK") cards.push(r + s + d);
  for (let j = 1; j <= jokers; j++) cards.push(`*${j}`);
  return cards;
}

// Canonical bytes of a value as JSON.parse gives it; whatever has none is refused.
function canonical(value) {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") {
    must(Number.isSafeInteger(value) && !Object.is(value, -0), "a number that is no plain integer");
    return String(value);
  }
  if (typeof value === "string") {
    must(/^[ !#-[\]-~]*$/.test(value), "text outside printable ASCII");
    return `"${value}"`;
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const keys = Object.keys(value).sort();
  must(keys.every((key) => /^[a-z][a-z0-9_]*$/.test(key)), "a key");
  return `{${keys.map((key) => `"${key}":${canonical(value[key])}`).join(",")}}`;
}

function entries(body) {
  return body.split("\n").map((line, i) => {
    const found = /^([0-9a-f]{64}) (\{.*\})$/s.exec(line);
    must(found, `line ${i + 1}`);
    let event;
    try { event = JSON.parse(found[2]); } catch { throw new Wrong(`line ${i + 1}: no JSON`); }
    must(canonical(event) === found[2], `line ${i + 1}: not canonical`);
    return { digest: bytes(found[1]), raw: ascii(found[2]), event };
  });
}

function checkNote(text, line, verifier) {
  const [name, hash, spelled] = verifier.split(/\+([0-9a-f]{8})\+/);
  const key = Buffer.from(spelled, "base64");
  must(key.length === 33 && key[0] === 1, "the verifier key");
  must(H(ascii(`${name}\n`), key).subarray(0, 4).toString("hex") === hash, "the verifier key's hash");
  const found = /^— (\S+) ([A-Za-z0-9+/]{91}=)\n$/.exec(line);
  must(found && found[1] === name, "signed under another name");
  const signature = Buffer.from(found[2], "base64");
  must(signature.toString("base64") === found[2] && signature.length === 68, "the signature's spelling");
  must(signature.subarray(0, 4).toString("hex") === hash, "signed with another key");
  const der = Buffer.concat([bytes("302a300506032b6570032100"), key.subarray(1)]);
  const handle = createPublicKey({ key: der, format: "der", type: "spki" });
  must(verify(null, ascii(text), handle, signature.subarray(4)), "the signature");
}

function record(path, verifier) {
  const data = readFileSync(path, "utf8");
  const gap = data.indexOf("\n\n");
  must(gap > 0, "no empty line");
  const list = entries(data.slice(0, gap));
  const opened = list[0].event;
  const last = list.at(-1).event;
  must(opened.type === "opened" && last.type === "revealed", "first or last event");
  const seed = bytes(last.seed);
  must(seed.length === 32, "the seed's length");
  must(H(T("seed"), seed, ascii(opened.id)).toString("hex") === opened.commit, "the commitment");

  const promised = new Map(), cuts = new Map(), found = { labels: {} };
  let d = H(T("table"), ascii(opened.id)), key = null;
  const turn = () => {
    if ([...promised.keys()].some((seat) => !cuts.has(seat))) return;
    const parts = [...cuts].sort((a, b) => a[0] - b[0]).flatMap(([seat, cut]) => [u8(seat), cut]);
    key = M(seed, T("key"), bytes(found.d_s), ...parts);
  };
  list.forEach(({ digest, raw, event }, i) => {
    const blind = key === null ? Buffer.alloc(32) : M(key, T("blind"), u64(i + 1));
    d = H(T("node"), d, H(T("leaf"), blind, raw));
    must(d.equals(digest), `the digest of event ${i + 1}`);
    if (i === 0) found.d_1 = d.toString("hex");
    if (event.type === "started") {
      found.d_s = d.toString("hex");
      event.cuts.forEach((promise, seat) => { if (promise !== null) promised.set(seat, promise); });
      turn();
    }
    if (event.type === "cut") {
      const cut = bytes(event.cut);
      const promise = H(T("cut"), bytes(found.d_1), u8(event.seat), cut).toString("hex");
      must(promise === promised.get(event.seat), `the cut of seat ${event.seat}`);
      cuts.set(event.seat, cut);
      turn();
    }
  });
  const text = `faircut/1 record\n${opened.id}\n${list.length}\n${d.toString("hex")}\n`;
  const note = data.slice(gap + 2);
  must(note.startsWith(`${text}\n`), "the note's text");
  checkNote(text, note.slice(text.length + 1), verifier);
  if (key !== null) {
    found.key = key.toString("hex");
    for (const label of ["dealer", "deal:1"]) {
      const order = new Stream(key, label).shuffle(pack(1, 2)).join(" ");
      found.labels[label] = { below2: new Stream(key, label).below(2), order };
    }
  }
  return { ...found, id: opened.id, events: list.length, digest: d.toString("hex") };
}

const twin = (i) => H(ascii(`twin ${i}`));

function below(keys, draws) {
  const all = createHash("sha256");
  for (let i = 0; i < keys; i++) {
    const stream = new Stream(twin(i), `twin:${i}`);
    for (let j = 0; j < draws; j++) all.update(u32(stream.below(2 + ((i * draws + j * 7) % 299))));
    all.update(u32(stream.below(65536)));
  }
  return { sha256: all.digest("hex") };
}

function shuffle(keys, decks, jokers) {
  const all = createHash("sha256");
  for (let i = 0; i < keys; i++) all.update(new Stream(twin(i), "deal:1").shuffle(pack(decks, jokers)).join(" "));
  return { sha256: all.digest("hex") };
}

const [mode, ...rest] = process.argv.slice(2);
try {
  const numbers = rest.map(Number);
  const answer = { record: () => record(...rest), below: () => below(...numbers), shuffle: () => shuffle(...numbers) }[mode]();
  console.log(JSON.stringify(answer));
} catch (fault) {
  if (!(fault instanceof Wrong)) throw fault;
  console.log(JSON.stringify({ wrong: fault.message }));
  process.exitCode = 1;
}
