// Checks the record of a finished table in the page itself, from replay/FORMAT.md alone: no line of it is the server's.
// It follows no game's rules; `faircut audit` does that too.
import {
  Distrust, ZERO, blindOf, bytes, commitment, firstDigest, hex, leaf, node, pack, promise, readEvent, readNote,
  signedOf, stream, tableKey,
} from "./fair.js";
import { lifeOf } from "./life.js";

const MAX_BYTES = 64 * 1024 * 1024, MAX_EVENTS = 1_000_000;

/** @typedef {import("./fair.js").Key} Key */
/** @typedef {import("./fair.js").Note} Note */
/** @typedef {{digest: string, text: string, event: any}} Entry */
/**
 * One thing that was checked. `ok` is null where it could not be; `at` is the first event at fault (from 1).
 * @typedef {{name: string, ok: boolean | null, words: string, at: number | null}} Check
 */
/**
 * The open table after event `at`, as a replay shows it: what the deals are compared with. `stock`: how many cards are
 * in it; `labels`: of the streams that the event read; `remade`: of how many cards a stock was made anew.
 * @typedef {{at: number, hands: string[][], pile: string[], stock: number, labels: string[], remade: number | null,
 *   dealt: {deal: number, dealer: number, cards: number} | null}} Shown
 */
/** @typedef {{n: number, type: string, at: number, seat?: number, by?: string}} Told */
/**
 * What came of it. `ok`: nothing is wrong and the key is vouched for. `at`: the first event at fault.
 * @typedef {{ok: boolean, id: string | null, events: number, at: number | null, checks: Check[]}} Report
 */

/** Something wrong with the file, in a line of it. */
class Unreadable extends Error {
  /** @param {string} words @param {number} [line] */
  constructor(words, line) {
    super(words);
    this.line = line ?? null;
  }
}

/**
 * @param {string} name @param {boolean | null} ok @param {string} words @param {number | null} [at]
 * @returns {Check}
 */
const check = (name, ok, words, at = null) => ({ name, ok, words, at });

/**
 * Check a record. `keys`: those that somebody vouches for, or null if none could be had. `shown`: the tables that a
 * replay draws, to be compared with what the seed deals; `told`: the events that it tells, to be compared with the
 * record's.
 * @param {Uint8Array} data the file's bytes
 * @param {Key[] | null} keys
 * @param {Shown[]} [shown]
 * @param {Told[]} [told]
 * @param {string} [whose] where the keys come from, to go on after "a key"
 * @returns {Report}
 */
export function verify(data, keys, shown = [], told = [], whose = "that this house publishes") {
  let record;
  try {
    record = read(data);
  } catch (fault) {
    if (!(fault instanceof Unreadable)) throw fault;
    const where = fault.line === null ? "" : `At event ${fault.line}: `;
    const words = `${where}${fault.message}. This is no record as it was published.`;
    return { ok: false, id: null, events: 0, at: fault.line, checks: [check("form", false, words, fault.line)] };
  }
  const { entries, note } = record;
  const events = entries.map((entry) => entry.event);
  const last = events[events.length - 1];
  const seed = last.type === "revealed" ? bytes(last.seed) : null;
  const found = walk(entries, seed);
  const checks = [
    check("form", true, `Readable: ${events.length} events, each written just as a record is to be written.`),
    signature(entries, note, keys, whose), seedOf(events[0], seed), cuts(found, seed), chain(found, entries),
    deals(found, shown), ...(told.length ? [same(events, told)] : []), life(events), commands(events), times(events),
    end(events),
  ];
  const wrong = checks.flatMap((one) => (one.ok === false && one.at !== null ? [one.at] : []));
  return {
    ok: checks.every((one) => one.ok !== false), id: events[0].id, events: events.length,
    at: wrong.length ? Math.min(...wrong) : null, checks,
  };
}

// -- reading ---------------------------------------------------------------------------------------------------------

/**
 * The parts of a record. Raises Unreadable.
 * @param {Uint8Array} data
 * @returns {{entries: Entry[], note: Note}}
 */
function read(data) {
  if (data.length > MAX_BYTES) throw new Unreadable("The file is too large");
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    const line = data.subarray(0, firstOddByte(data)).filter((byte) => byte === 10).length + 1;
    throw new Unreadable("A byte belongs to no text", line);
  }
  const gap = text.indexOf("\n\n");
  if (gap < 0) throw new Unreadable("No empty line parts the events from the note");
  const lines = text.slice(0, gap).split("\n");
  if (lines.length > MAX_EVENTS) throw new Unreadable("There are too many events");
  const entries = lines.map((line, i) => entry(line, i + 1));
  if (entries[0].event.type !== "opened") throw new Unreadable("The table is not opened by the first event", 1);
  try {
    return { entries, note: readNote(text.slice(gap + 2)) };
  } catch (fault) {
    throw new Unreadable(`The note after the events is ${/** @type {Error} */ (fault).message}`);
  }
}

/** Where the first byte beyond ASCII stands. @param {Uint8Array} data */
function firstOddByte(data) {
  const at = data.findIndex((byte) => byte > 127);
  return at < 0 ? data.length : at;
}

/** @param {string} line @param {number} n @returns {Entry} */
function entry(line, n) {
  const found = /^([0-9a-f]{64}) (\{.*\})$/.exec(line);
  if (!found) throw new Unreadable("The line is not a digest, a space and an event", n);
  try {
    return { digest: found[1], text: found[2], event: readEvent(found[2]) };
  } catch (fault) {
    if (fault instanceof Distrust) throw new Unreadable(`The event is malformed (${fault.message})`, n);
    throw fault;
  }
}

// -- digests, promises and cuts --------------------------------------------------------------------------------------

/**
 * What follows from events and seed. `promised` by seat; `complete`: the seats are closed and no cut is owed;
 * `reached`: how many digests could be computed.
 * @typedef {{key: Uint8Array | null, started: boolean, promised: Map<number, string>, owing: number[],
 *   complete: boolean, reached: number, chain: number | null, cuts: {at: number, words: string} | null}} Walk
 */

/** Compute every digest anew. @param {Entry[]} entries @param {Uint8Array | null} seed @returns {Walk} */
function walk(entries, seed) {
  /** @type {Walk} */
  const found = {
    key: null, started: false, promised: new Map(), owing: [], complete: false, reached: 0, chain: null, cuts: null,
  };
  /** @type {Map<number, Uint8Array>} */
  const opened = new Map();
  let d = firstDigest(entries[0].event.id), d1 = d, ds = d;
  for (let n = 1; n <= entries.length; n++) {
    const { digest, text, event } = entries[n - 1];
    if (found.complete && found.key === null) break;
    d = node(d, leaf(found.key === null ? ZERO : blindOf(found.key, n), text));
    found.reached = n;
    if (hex(d) !== digest) found.chain ??= n;
    if (n === 1) d1 = d;
    let words = "";
    if (event.type === "started" && !found.started) {
      found.started = true;
      ds = d;
      event.cuts.forEach((/** @type {string | null} */ cut, /** @type {number} */ seat) => {
        if (cut !== null) found.promised.set(seat, cut);
      });
    } else if (event.type === "cut") {
      words = opening(found, opened, event, d1);
    } else continue;
    if (words) found.cuts ??= { at: n, words };
    found.owing = [...found.promised.keys()].filter((seat) => !opened.has(seat));
    found.complete = found.started && found.owing.length === 0;
    if (found.complete && seed !== null) found.key ??= tableKey(seed, ds, opened);
  }
  return found;
}

/**
 * Take in a cut; what is wrong with it.
 * @param {Walk} found @param {Map<number, Uint8Array>} opened @param {any} event @param {Uint8Array} d1
 */
function opening(found, opened, event, d1) {
  const promised = found.promised.get(event.seat);
  if (promised === undefined || opened.has(event.seat)) return `nobody asked seat ${event.seat} for this cut`;
  const cut = bytes(event.cut);
  opened.set(event.seat, cut);
  const kept = hex(promise(d1, event.seat, cut)) === promised;
  return kept ? "" : `the cut of seat ${event.seat} is not the one it promised`;
}

// -- the checks ------------------------------------------------------------------------------------------------------

/** @param {Entry[]} entries @param {Note} note @param {Key[] | null} keys @param {string} whose */
function signature(entries, note, keys, whose) {
  const n = entries.length;
  if (note.kind !== "record" || note.id !== entries[0].event.id) {
    return check("signature", false, "What was signed is not the record of this table.");
  }
  if (note.n !== n) return check("signature", false, `What was signed has ${note.n} events, but here are ${n}.`);
  if (note.digest !== entries[n - 1].digest) {
    return check("signature", false, "What was signed ends in another digest than this record.", n);
  }
  if (!keys?.length) {
    return check("signature", false, `Signed as ${note.name}, but there is no key to be had to check it with.`);
  }
  const signed = signedOf(note, keys);
  const words = {
    signed: `Signed by ${note.name}, with a key (${note.hash}) ${whose}.`,
    unknown: `Signed as ${note.name}, with a key (${note.hash}) that is none of those ${whose}.`,
    forged: `The signature is not one by ${note.name}.`,
  };
  return check("signature", signed === "signed", words[signed]);
}

/** @param {any} opened @param {Uint8Array | null} seed */
function seedOf(opened, seed) {
  if (seed === null) {
    return check("seed", false, "The record does not end with the seed: its chance cannot be checked.");
  }
  return hex(commitment(seed, opened.id)) === opened.commit
    ? check("seed", true, "The seed is the one that the house committed to before anybody sat down.")
    : check("seed", false, "The seed is not the one that the house committed to as the table was opened.", 1);
}

/** @param {Walk} found @param {Uint8Array | null} seed */
function cuts(found, seed) {
  if (found.cuts) return check("cuts", false, `At event ${found.cuts.at}: ${found.cuts.words}.`, found.cuts.at);
  if (!found.started) return check("cuts", true, "The game never started: nobody cut and nothing was dealt.");
  if (found.owing.length) {
    return check("cuts", true, `Seat ${found.owing.join(", ")} did not send the promised cut, so nothing was dealt.`);
  }
  if (seed === null) return check("cuts", null, "Every promised cut came, but without the seed there is no key.");
  const seats = [...found.promised.keys()];
  const words = [
    "Nobody promised a cut: the seed alone is the key of all chance.",
    `The cut of seat ${seats[0]} is the one that it promised, and is part of the key of all chance.`,
    `The cuts of seats ${seats.join(", ")} are those that they promised, and are part of the key of all chance.`,
  ][Math.min(2, seats.length)];
  return check("cuts", true, words);
}

/** @param {Walk} found @param {Entry[]} entries */
function chain(found, entries) {
  if (found.chain !== null) {
    const words = `At event ${found.chain}: its digest does not follow from its bytes and the events before it.`;
    return check("chain", false, words, found.chain);
  }
  if (found.reached < entries.length) {
    return check("chain", null, `Without the seed the chain can be followed to event ${found.reached} only.`);
  }
  return check("chain", true, `All ${entries.length} digests follow, each from its event and those before it.`);
}

/** @param {any[]} events @param {Told[]} told */
function same(events, told) {
  const wrong = told.find(({ n, type, at, seat, by }) => {
    const event = events[n - 1];
    return !event || event.type !== type || event.at !== at || event.seat !== seat || event.by !== by;
  });
  if (wrong) return check("shown", false, `At event ${wrong.n}: the replay tells another event than the record.`, wrong.n);
  return told.length < events.length
    ? check("shown", null, `The replay tells ${told.length} of ${events.length} events.`)
    : check("shown", true, "The replay tells the events of the record, each at its time.");
}

/** @param {any[]} events */
function life(events) {
  const fault = lifeOf(events);
  return fault
    ? check("table", false, `At event ${fault.at}: ${fault.words}.`, fault.at)
    : check("table", true, "Seats, cuts, who played for whom and the end follow one another as they must.");
}

/** @param {any[]} events */
function commands(events) {
  const taken = new Set();
  for (const [i, { type, seat, by, command }] of events.entries()) {
    const own = `${seat} ${by} ${command}`;
    if (type !== "moved") continue;
    if (taken.has(own)) return check("commands", false, `At event ${i + 1}: this command was taken before.`, i + 1);
    taken.add(own);
  }
  return check("commands", true, `No command was taken twice: ${taken.size} moves.`);
}

/** @param {any[]} events */
function times(events) {
  const at = events.findIndex((event, i) => i > 0 && event.at < events[i - 1].at);
  return at < 0
    ? check("times", true, "Time never goes back.")
    : check("times", false, `At event ${at + 1}: time goes back.`, at + 1);
}

/** @param {any[]} events */
function end(events) {
  const at = events.findIndex((event) => event.type === "revealed");
  if (at < 0) {
    return check("end", false, "The last event does not reveal the seed: the record is not whole.", events.length);
  }
  return at === events.length - 1
    ? check("end", true, "The last event reveals the seed, and no other does.")
    : check("end", false, `At event ${at + 2}: the seed is out, and yet events follow.`, at + 2);
}

// -- deals -----------------------------------------------------------------------------------------------------------

/**
 * Whether the cards that a replay shows are those that the key deals: every deal card by card, and after it that no
 * card is in a hand or on the pile which still lies in the stock, through remade stocks too.
 * @param {Walk} found @param {Shown[]} shown
 */
function deals(found, shown) {
  if (found.key === null) {
    return found.complete
      ? check("deals", null, "Without the seed no deal can be followed.")
      : check("deals", true, "Nothing was dealt.");
  }
  if (!shown.some((table) => table.dealt)) {
    return check("deals", null, "No deal is shown here to compare with the key.");
  }
  let dealt = 0, tables = 0, lost = 0;
  /** @type {Stock | null} */
  let stock = null;
  for (const table of shown) {
    if (table.dealt) {
      stock = dealOf(found.key, table);
      if (stock) dealt++;
    } else stock &&= stock.next(found.key, table);
    if (!stock) lost++;
    else if (stock.wrong) return check("deals", false, `At event ${table.at}: ${stock.wrong}.`, table.at);
    else tables++;
  }
  const rest = lost ? ` After ${lost} more they could not be compared.` : "";
  if (!dealt) return check("deals", null, `The pack of this game is not known here.`);
  const many = dealt === 1 ? "The deal" : `All ${dealt} deals`;
  return check("deals", true, `${many} and the cards after ${tables} events follow from the key.${rest}`);
}

/** What lies in the stock, its last card drawn first, and what has come out of it. */
class Stock {
  /**
   * @param {string[]} order of the stock as it was shuffled
   * @param {Shown} table now
   * @param {Set<string>} before cards that were out when it was shuffled
   */
  constructor(order, table, before) {
    this.order = order;
    this.table = table;
    this.before = before;
    this.out = new Set([...before, ...order.slice(table.stock)]);
    const card = [...table.hands.flat(), ...table.pile].find((one) => !this.out.has(one));
    this.wrong = card === undefined ? "" : `the card ${card} still lies in the stock that the key shuffles`;
  }

  /**
   * After the next event; null where it changes in a way that is not known here.
   * @param {Uint8Array} key @param {Shown} table
   */
  next(key, table) {
    const labels = table.labels.filter((one) => /^deal:[0-9]+:reshuffle:[0-9]+$/.test(one));
    if (labels.length === 1) return this.remade(stream(key, labels[0]), table);
    return !labels.length && table.stock <= this.table.stock ? new Stock(this.order, table, this.before) : null;
  }

  /**
   * Made anew of the pile, its oldest card first, without the cards on top that stay.
   * @param {{shuffle: (cards: string[]) => string[]}} source @param {Shown} table
   */
  remade(source, table) {
    const under = this.table.pile.slice(0, table.remade ?? -1);
    if (table.stock > under.length) return null;
    const out = [...this.before, ...this.order].filter((card) => !under.includes(card));
    return new Stock(source.shuffle(under), table, new Set(out));
  }
}

/** The stock after a deal, or null for a pack that is not known here. @param {Uint8Array} key @param {Shown} table */
function dealOf(key, table) {
  const { deal, dealer, cards } = /** @type {NonNullable<Shown["dealt"]>} */ (table.dealt);
  const { hands, pile, stock } = table;
  const all = hands.flat().length + pile.length + stock;
  const decks = Math.floor(all / 52), jokers = all % 52;
  if (!decks || jokers > 4 * decks + 8) return null;
  const order = stream(key, `deal:${deal}`).shuffle(pack(decks, jokers));
  const found = new Stock(order, table, new Set());
  if (found.wrong || hands.some((hand) => hand.length !== cards)) return found;
  for (let i = 0; i < cards * hands.length; i++) {
    const seat = (dealer + 1 + i) % hands.length, card = order[all - 1 - i];
    if (!hands[seat].includes(card)) found.wrong ||= `seat ${seat} was not dealt the card ${card}`;
  }
  return found;
}
