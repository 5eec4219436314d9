// Laying all that a hand can lay: for games in which the house suggests one move after another.

/** Whether a move is being laid for the player just now, or why nothing is: a button's words. */
export function layButton(t, words, ready, why) {
  if (t.own.laying) return { words, key: "A", why: "One moment: your cards are being laid." };
  return ready ? { words, key: "A", act: () => void layAll(t) } : { words, key: "A", why };
}

/** Make the house's suggestions in turn, each as it stands when the one before has been made. */
async function layAll(t) {
  const { own, live } = t;
  own.laying = true;
  live.picked = [];
  await live.ask();
  for (let key = null; live.key !== null && live.key !== key;) {
    if (live.offers.some((offer) => offer.stale)) await live.ask(); // somebody asked in between
    key = live.key;
    const next = live.offers.find((offer) => offer.move && !offer.stale && ["meld", "lay_off", "extend"].includes(offer.kind));
    if (!next || live.picked.length || !(await t.send(next.move))) break;
    await live.ask();
  }
  own.laying = false;
  t.redraw();
}
