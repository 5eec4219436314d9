// The life of a table as far as it needs no game: who sits, who cuts, who may play for whom, how it ends.
// Written from replay/FORMAT.md, "The life of a table".
const CUT_MS = 20_000; // table time until missing cuts void the table
const IDLE_MS = 86_400_000; // until a table that has not started may be closed as idle
const PLAY = ["moved", "ticked", "hurried", "left", "covered", "returned", "agreed"];
const STATED = [...PLAY, "granted"];

class Refused extends Error {}

/** @type {(truth: any, words: string) => asserts truth} */
function must(truth, words) {
  if (!truth) throw new Refused(words);
}

/** @typedef {{kind: string, who: string, cut: string | null, cover: boolean, left: boolean}} Chair */

class Table {
  /** @param {any} opened */
  constructor(opened) {
    this.opened = opened;
    this.phase = "open";
    /** @type {(Chair | null)[]} */
    this.chairs = Array(opened.seats).fill(null);
    this.at = opened.at;
    this.granted = 0;
    this.cutBy = 0;
    /** @type {Set<number>} */
    this.owing = new Set();
    /** @type {Set<number>} */
    this.agreed = new Set();
    this.before = "opened";
  }

  /** @param {any} event */
  follow(event) {
    must(this.before !== "revealed", "the seed is out, and yet something happens");
    must(this.phase !== "ended" || event.type === "revealed", "the table has ended, and yet something happens");
    const play = this.phase === "playing";
    must(play || !PLAY.includes(event.type), "this cannot happen while the game is not being played");
    must(!STATED.includes(event.type) || (event.state !== undefined) === play,
      "the digest of the table after it is missing, or stands where there can be none");
    const handle = HANDLERS[event.type];
    must(handle, "a table is opened once");
    handle(this, event);
    this.at = event.at;
    this.before = event.type;
  }

  /** Table time. @param {number} at */
  now(at) {
    return at - this.granted;
  }

  /** @param {number} seat */
  chair(seat) {
    const chair = this.chairs[seat];
    must(chair, `nobody sits in seat ${seat}`);
    return chair;
  }

  /** The person in a seat. @param {number} seat */
  person(seat) {
    const chair = this.chair(seat);
    must(chair.kind === "human", `no person sits in seat ${seat}`);
    return chair;
  }

  /** Seats of people who have not left. */
  people() {
    return this.chairs.flatMap((chair, seat) => (chair?.kind === "human" && !chair.left ? [seat] : []));
  }

  host() {
    const own = this.chairs.findIndex((chair) => chair?.who === this.opened.host);
    return own >= 0 && this.chairs[own]?.left ? this.people()[0] ?? own : own;
  }
}

/** @type {Record<string, (table: Table, event: any) => void>} */
const HANDLERS = {
  sat(table, { seat, who, kind, cut, level }) {
    must(table.phase === "open", "somebody sits down after the seats were closed");
    must(seat < table.opened.seats && table.chairs[seat] === null, `seat ${seat} is not free`);
    must(!table.chairs.some((chair) => chair?.who === who), "somebody sits down twice");
    const bot = kind === "bot";
    must(bot === (level !== undefined) && !(bot && cut), "a bot has a level and no cut");
    table.chairs[seat] = { kind, who, cut, cover: false, left: false };
  },
  stood(table, { seat }) {
    must(table.phase === "open", "somebody stands up after the seats were closed");
    table.chair(seat);
    table.chairs[seat] = null;
  },
  started(table, { kinds, cuts, at }) {
    must(table.phase === "open", "the seats are closed twice");
    must(!table.chairs.includes(null), "a seat is empty at the start");
    const chairs = table.chairs.map((_, seat) => table.chair(seat));
    const same = kinds.length === chairs.length && cuts.length === chairs.length
      && chairs.every((chair, seat) => chair.kind === kinds[seat] && chair.cut === cuts[seat]);
    must(same, "the start lists other seats or promises than those that sat down");
    table.owing = new Set(chairs.flatMap((chair, seat) => (chair.cut === null ? [] : [seat])));
    table.phase = table.owing.size ? "cutting" : "playing";
    table.cutBy = table.now(at) + CUT_MS;
  },
  cut(table, { seat }) {
    must(table.phase === "cutting" && table.owing.delete(seat), `nobody asked seat ${seat} for this cut`);
    if (!table.owing.size) table.phase = "playing";
  },
  voided(table, { seats, at }) {
    must(table.phase === "cutting" && table.now(at) >= table.cutBy, "there was still time to cut");
    const owing = [...table.owing].sort((a, b) => a - b);
    must(String(seats) === String(owing), "other seats are named than those that owed a cut");
    table.phase = "ended";
  },
  moved(table, { seat, by }) {
    const chair = table.chair(seat);
    const bot = chair.kind === "bot" || chair.cover;
    must((by === "person") !== bot, `seat ${seat} is played by ${bot ? "a bot" : "its person"}, not by a ${by}`);
  },
  ticked() { /* whether time was up is the game's to say */ },
  hurried(table, { seat }) {
    must(seat === table.host(), `seat ${seat} is not the host's`);
  },
  granted(table, { ms, since, at }) {
    must(["cutting", "playing"].includes(table.phase), "time is given back where nothing waits for time");
    must(since >= table.at && ms <= at - since, "more time is given back than had passed");
    table.granted += ms;
  },
  left(table, { seat }) {
    const chair = table.person(seat);
    must(!chair.left, `the person of seat ${seat} had left already`);
    chair.left = true;
  },
  covered(table, { seat }) {
    const chair = table.person(seat);
    must(!chair.cover, `a bot plays seat ${seat} already`);
    chair.cover = true;
  },
  returned(table, { seat }) {
    const chair = table.person(seat);
    must(chair.left || chair.cover, `the person of seat ${seat} was not away`);
    chair.left = chair.cover = false;
  },
  agreed(table, { seat }) {
    table.person(seat);
    table.agreed.add(seat);
  },
  closed(table, { how, at }) {
    const people = table.people();
    const may = {
      idle: table.phase === "open" && table.now(at) >= table.opened.at + IDLE_MS,
      agreed: people.length > 0 && people.every((seat) => table.agreed.has(seat)),
    }[/** @type {string} */ (how)] ?? true;
    must(may, `the table may not be closed as ${how}`);
    table.phase = "ended";
  },
  revealed(table) {
    const played = table.phase === "playing" && PLAY.includes(table.before);
    must(table.phase === "ended" || played, "the seed is revealed before the table can have ended");
    table.phase = "ended";
  },
};

/**
 * The first event that cannot follow those before it (`at`, from 1) and why, or null.
 * @param {any[]} events
 * @returns {{at: number, words: string} | null}
 */
export function lifeOf(events) {
  const table = new Table(events[0]);
  for (let n = 2; n <= events.length; n++) {
    try {
      table.follow(events[n - 1]);
    } catch (fault) {
      if (fault instanceof Refused) return { at: n, words: fault.message };
      throw fault;
    }
  }
  return null;
}
