// From a replay's events, which say what each changed, to the whole open table after every one of them.

/** The table after an event, given the table before it. @param {any} before @param {any} changed @returns {any} */
function after(before, changed = {}) {
  const both = before?.view && changed.view;
  return { ...before, ...changed, ...(both ? { view: { ...before.view, ...changed.view } } : {}) };
}

/**
 * A block of events as the house sends it, each with its whole table.
 * @param {any[]} events
 * @returns {any[]}
 */
export function unfold(events) {
  /** @type {any} */
  let table = null;
  return events.map((event) => ({ lines: [], labels: [], words: "", ...event, table: (table = after(table, event.table)) }));
}

/**
 * What the checks compare with the cards that the key deals: all tables since the first deal.
 * @param {any[]} events unfolded
 * @returns {import("./verify.js").Shown[]}
 */
export function shownOf(events) {
  return events.filter((event) => event.table.hands && event.table.view).map((event) => {
    const { hands, view } = event.table;
    /** @param {string} kind */
    const told = (kind) => event.lines.find((/** @type {any} */ line) => line.kind === kind)?.data;
    return {
      at: event.n, hands, pile: view.pile ?? [], stock: view.stock ?? 0, labels: event.labels,
      dealt: told("dealt") ?? null, remade: told("reshuffle")?.cards ?? null,
    };
  });
}
