// One table as this browser sees it: its newest frame, lines, hints and offers, kept fresh over a WebSocket.

import { Refused, ask, commandId, keep, load, now } from "./house.js";
import { checkOpening, hex, promise, readKeys } from "./fair.js";
import { remember } from "./mine.js";

const BEAT_MS = 40000; // the house beats every 15 s: after this long the socket is taken for dead
const MOST_LINES = 2000;
const BUBBLE_MS = 6000; // so long what somebody says stands at their seat
const AGAIN_MS = 2000; // until what the house did not answer is asked again
const CUTS = 16; // cuts kept of one table

/** What the house shows of a table's opening, checked against its signed notes. Raises Refused, Distrust. */
async function openingOf(id) {
  const [shown, keys] = await Promise.all([ask(`/tables/${id}/opening`), ask("/.well-known/faircut/keys", { text: true })]);
  return checkOpening(shown, id, readKeys(keys));
}

/** The cuts that this browser has promised a table and not been refused with: the signed start says which counts. */
const cutsOf = (id) => [load(`faircut.cut.${id}`, [])].flat();
const keepCuts = (id, cuts) => keep(`faircut.cut.${id}`, cuts.slice(-CUTS));

/** Take a seat with a promise of a cut that stays here until the signed start has been checked. Raises Refused, Distrust. */
export async function takeSeat(id, seat) {
  const cut = crypto.getRandomValues(new Uint8Array(32));
  const promised = hex(promise((await openingOf(id)).d1, seat, cut));
  keepCuts(id, [...cutsOf(id), { seat, cut: hex(cut), promised }]);
  try {
    const done = await ask(`/tables/${id}/seats/${seat}`, { body: { promise: promised } });
    remember(id, done.table.game);
    return done;
  } catch (fault) {
    const refused = fault.status >= 400 && fault.status < 500; // else the seat may be taken all the same
    if (refused) keepCuts(id, cutsOf(id).filter((one) => one.promised !== promised));
    throw fault;
  }
}

export class Live {
  /** @param {string} id @param {() => void} changed called whenever there is something new to draw */
  constructor(id, changed) {
    this.id = id;
    this.changed = changed;
    /** Told in words what went wrong. @type {(words: string) => void} */
    this.said = () => {};
    this.table = null; // TableView
    this.keyless = []; // types of move that name no key
    this.lines = [];
    this.fresh = []; // lines that no drawing has shown yet
    this.quiet = [];
    this.says = [];
    this.next = null; // the table that follows this one
    this.watchersTalk = false;
    this.seen = null;
    this.helps = null;
    this.offers = []; // for the cards picked
    this.free = []; // for no cards
    this.key = null;
    this.picked = []; // cards of the own hand, in the order in which they were picked
    this.connected = false;
    this.fault = null; // why there is nothing to see
    this.sending = false;
    this.wait = 250;
    this.asking = null;
    this.ages = 0; // how often what was offered has passed
    this.ended = false;
    this.again = () => this.hasten();
    addEventListener("online", this.again);
    document.addEventListener("visibilitychange", this.again);
    this.connect();
  }

  /** The game's own view, null before the deal. */
  get view() {
    return this.table?.view ?? null;
  }

  get you() {
    return this.table?.you ?? null;
  }

  end() {
    this.ended = true;
    removeEventListener("online", this.again);
    document.removeEventListener("visibilitychange", this.again);
    clearTimeout(this.timer);
    clearTimeout(this.watchdog);
    clearTimeout(this.asksAgain);
    clearTimeout(this.cutsAgain);
    this.socket?.close();
  }

  // -- the feed -------------------------------------------------------------------------------------------------------

  hasten() {
    if (!this.connected && !document.hidden && !this.connecting) {
      clearTimeout(this.timer);
      this.connect();
    }
  }

  async connect() {
    if (this.ended) return;
    this.connecting = true;
    try {
      const { ticket } = await ask(`/tables/${this.id}/tickets`, { body: {} });
      const since = this.seen === null ? "" : `&seen=${this.seen}`;
      const address = `${location.origin.replace(/^http/, "ws")}/tables/${this.id}/feed?ticket=${ticket}${since}`;
      if (this.ended) return;
      this.listen(new WebSocket(address));
    } catch (fault) {
      if (fault instanceof Refused && [404, 410].includes(fault.status)) {
        this.fault = fault.message;
        this.changed();
      } else this.retry();
    } finally {
      this.connecting = false;
    }
  }

  listen(socket) {
    const before = this.socket;
    this.socket = socket;
    before?.close();
    let heard = false;
    const fed = () => {
      clearTimeout(this.watchdog);
      this.watchdog = setTimeout(() => socket.close(), BEAT_MS);
    };
    fed();
    socket.addEventListener("message", (event) => {
      if (this.socket !== socket || this.ended) return;
      heard = true;
      fed();
      this.wait = 250;
      this.connected = true;
      this.hear(JSON.parse(event.data));
    });
    socket.addEventListener("close", () => {
      if (this.socket !== socket || this.ended) return;
      clearTimeout(this.watchdog);
      this.connected = false;
      this.changed();
      if (!heard) this.look();
      this.retry();
    });
  }

  /** Where no socket opens, the table is looked at each time that another is tried. */
  async look() {
    try {
      const since = this.seen ?? 0;
      const [told, { lines }] = await Promise.all([ask(`/tables/${this.id}`), ask(`/tables/${this.id}/lines?since=${since}`)]);
      if (!this.connected && !this.ended) this.hear({ ...told, type: "state", seen: told.table.seen, lines });
    } catch { /* the next try looks again */ }
  }

  retry() {
    this.connected = false;
    clearTimeout(this.timer);
    if (!this.ended) this.timer = setTimeout(() => this.connect(), this.wait * (0.75 + Math.random() / 2));
    this.wait = Math.min(this.wait * 2, 8000);
    this.changed();
  }

  hear(frame) {
    if (frame.type === "says") {
      if (!this.says.some((said) => said.id === frame.id)) this.says = [...this.says, frame].slice(-30);
      setTimeout(() => this.changed(), BUBBLE_MS + 50);
    }
    if (frame.quiet) this.quiet = frame.quiet;
    if ("next" in frame) this.next = frame.next;
    if ("watchers_say" in frame) this.watchersTalk = frame.watchers_say;
    if (frame.type === "state") this.take(frame.table, frame.lines, frame.seen, true);
    else this.changed();
  }

  /**
   * A newer table, and the lines that came with it. Whoever is no longer shown a seat's view may know of fewer events:
   * of that the feed tells (`fed`), which never tells anything old after something new.
   */
  take(table, lines, seen, fed = false) {
    const other = fed && this.table !== null && table.you !== this.you;
    if (this.seen !== null && !other && (seen < this.seen || (seen === this.seen && !lines.length && this.same(table)))) return;
    const known = this.lines.length && !other ? this.lines[this.lines.length - 1].seen : -1;
    const came = lines.filter((line) => line.seen > known);
    this.fresh = [...this.fresh, ...came].slice(-MOST_LINES);
    this.lines = [...this.lines, ...came].slice(-MOST_LINES);
    this.table = table;
    this.seen = seen;
    const hand = this.view?.hand ?? [];
    const playing = !["scored", "over"].includes(this.view?.phase);
    this.picked = playing ? this.picked.filter((card) => hand.includes(card)) : [];
    this.age();
    this.ask();
    this.openCut();
    this.changed();
  }

  same(table) {
    return this.table && JSON.stringify(this.table) === JSON.stringify(table);
  }

  /** What a seat has just said, or null. */
  bubble(seat) {
    return this.says.findLast((said) => said.from === seat && now() - said.at < BUBBLE_MS) ?? null;
  }

  // -- what can be done -------------------------------------------------------------------------------------------------

  /** Ask for hints and offers for the present view and picks; one question at a time, the newest state wins. */
  ask() {
    this.stale = true;
    this.asking ??= this.askNow().finally(() => { this.asking = null; });
    return this.asking;
  }

  async askNow() {
    clearTimeout(this.asksAgain);
    while (this.stale && !this.ended) {
      this.stale = false;
      if (this.you === null || this.table.phase !== "playing") {
        Object.assign(this, { helps: null, offers: [], free: [], key: null });
        break;
      }
      const { seen } = this, picked = [...this.picked];
      try {
        const [helps, free, offers] = await Promise.all([
          this.helpsAt === seen ? { helps: this.helps, seen } : ask(`/tables/${this.id}/helps`),
          this.freeAt === seen && picked.length ? { offers: this.free, seen } : ask(`/tables/${this.id}/offers`, { body: {} }),
          picked.length ? ask(`/tables/${this.id}/offers`, { body: { picked } }) : null,
        ]);
        if (this.stale) continue;
        this.free = free.offers;
        this.freeAt = free.seen;
        this.helps = helps.helps;
        this.helpsAt = helps.seen === this.seen ? helps.seen : null;
        this.offers = (offers ?? free).offers;
        this.key = (offers ?? free).key ?? this.key;
      } catch (fault) {
        if (this.stale) continue;
        this.offers = this.free = [];
        if (fault.code !== "PHASE") this.said(fault.message);
        if (!fault.status || fault.status === 429 || fault.status >= 500) this.asksAgain = setTimeout(() => this.ask(), AGAIN_MS);
      }
    }
    this.changed();
  }

  /** Pick exactly these cards of the hand. */
  pick(cards) {
    this.picked = cards;
    this.age();
    this.ask();
    this.changed();
  }

  /** What is offered belongs to a moment that has passed: it is drawn still, and not sent. */
  age() {
    this.ages += 1;
    this.offers = this.offers.map((offer) => ({ ...offer, stale: true }));
    if (this.freeAt !== this.seen) this.free = this.free.map((offer) => ({ ...offer, stale: true }));
  }

  /** Send a move. True if it was taken; a refusal is told through `said`. A second press while one is under way is none. */
  async send(move) {
    if (this.sending) return false;
    this.sending = true;
    this.changed();
    const key = this.keyless.includes(move.type) ? null : this.key;
    try {
      const done = await ask(`/tables/${this.id}/moves`, { body: { key, move }, command: commandId() });
      this.picked = [];
      this.take(done.table, done.lines, done.seen);
      return true;
    } catch (fault) {
      this.refused = fault.code;
      this.said(fault.message);
      this.ask();
      return false;
    } finally {
      this.sending = false;
      this.changed();
    }
  }

  /** Another command of the table: `start`, `leave`, `return`, `hurry`, `agree`, `close`, `cover`, `again` … */
  async command(name, body = {}, method = "POST") {
    try {
      const command = name === "says" ? undefined : commandId(); // said twice it would be heard twice
      const done = await ask(`/tables/${this.id}/${name}`, { body, method, command });
      if (done.lines) this.take(done.table, done.lines, done.seen);
      return done;
    } catch (fault) {
      this.said(fault.message);
      return null;
    }
  }

  // -- the cut ----------------------------------------------------------------------------------------------------------

  /** Take a seat. */
  async sit(seat) {
    try {
      const done = await takeSeat(this.id, seat);
      this.take(done.table, done.lines, done.seen);
      return true;
    } catch (fault) {
      this.said(fault.message);
      return false;
    }
  }

  /** Whether the table waits for a cut of this browser's. */
  owesCut() {
    return !this.ended && this.you !== null && this.table.deciding.some((asked) => asked.kind === "cut" && asked.seat === this.you);
  }

  /** Open the promised cut once the table asks for it and its signed start holds the promise; again until it is there. */
  async openCut() {
    if (!this.owesCut() || this.cutting) return;
    this.cutting = true;
    clearTimeout(this.cutsAgain);
    try {
      const { started } = await openingOf(this.id);
      const own = cutsOf(this.id).filter((one) => one.seat === this.you);
      if (!own.length) throw new Error("This browser does not have the cut that was promised here. If no other sends it, the table is voided.");
      const held = own.find((one) => started?.[one.seat] === one.promised);
      if (!held) throw new Error("The signed start does not hold your promise: your cut stays here.");
      const done = await ask(`/tables/${this.id}/cut`, { body: { cut: held.cut } });
      this.take(done.table, done.lines, done.seen);
    } catch (fault) {
      if (this.owesCut() && fault.status !== 409) this.said(fault.message); // 409: another tab was faster
      this.cutsAgain = setTimeout(() => this.openCut(), AGAIN_MS);
    } finally {
      this.cutting = false;
    }
  }
}
