// The tables at which this browser has a seat, kept here so that one can come back to them.

import { ask, keep, load } from "./house.js";

const KEY = "faircut.tables";
const MOST = 12;

/** @returns {{id: string, game: string}[]} newest first */
export const remembered = () => load(KEY, []);

/** Keep a table at which one has taken a seat. */
export function remember(id, game) {
  keep(KEY, [{ id, game }, ...remembered().filter((table) => table.id !== id)].slice(0, MOST));
}

export function forget(id) {
  keep(KEY, remembered().filter((table) => table.id !== id));
}

/** The kept tables as they stand now, as TableViews. Those that have ended, or where one sits no more, are forgotten. */
export async function standing() {
  const found = await Promise.all(remembered().map(async ({ id }) => {
    try {
      const { table } = await ask(`/tables/${id}`);
      const mine = table.you !== null || table.covered !== null || table.hosting;
      if (mine && ["open", "cutting", "playing"].includes(table.phase)) return table;
    } catch (fault) {
      if (fault.status !== 404) return null; // the house is away: keep it
    }
    forget(id);
    return null;
  }));
  return found.filter(Boolean);
}
