// A table before the deal: who sits where, what is played, whom it waits for, and how to bring others here.

import { html, nothing, repeat } from "./vendor/lit.js";
import { LEVELS, capital, ending, hintOf, listed, optionsAt, valueWords } from "./choices.js";
import { top } from "./edges.js";
import { me, rename } from "./house.js";
import { forget, remember } from "./mine.js";
import { hue } from "./seats.js";

/** The waiting room of a table. @param {any} t */
export function room(t) {
  const { table } = t, ended = !["open", "cutting", "playing"].includes(table.phase);
  return html`<div class="front room">
    ${top()}
    ${t.live.connected || ended ? nothing : html`<p class="notice late" role="status">Connection lost. What you see may be old; trying again …</p>`}
    <main id="main" class=${ended ? "over" : ""}>
      <div class="intro-words">
        <p class="kind">${ended ? "Not played" : table.phase === "open" ? "Waiting room" : "Cutting the cards"}</p>
        <h1>${t.card?.title}</h1>
        <p class="state-words" role="status" aria-live="polite">${ended ? ending(table.how) : status(t)}</p>
        <p class="said" role="alert">${t.message ?? ""}</p>
      </div>
      ${ended ? after(t) : table.phase === "open" ? open(t) : cutting(t)}
    </main>
  </div>`;
}

const freeSeats = (t) => t.table.seats.flatMap((seat, i) => (seat ? [] : [i]));
const hostName = (t) => (t.table.host === null ? "the host" : t.name(t.table.host));

function status(t) {
  const free = freeSeats(t).length, { hosting, phase } = t.table;
  if (phase !== "open") return owing(t);
  if (!free) return t.you === null && !hosting ? `All seats are taken. Waiting for ${hostName(t)} to start; you can stay and watch.`
    : hosting ? "Everyone is here: start when you like." : `Everyone is here. Waiting for ${hostName(t)} to start.`;
  const many = free === 1 ? "one more player" : `${free} more players`;
  if (t.you === null) return free === 1 ? "One seat is free: take it to play." : `${free} seats are free: take one to play.`;
  return `Waiting for ${many}.`;
}

/** Whom the cutting waits for. */
function owing(t) {
  const names = t.table.deciding.filter((asked) => asked.kind === "cut").map((asked) => (asked.seat === t.you ? "your own browser" : t.name(asked.seat)));
  if (!names.length) return "All have cut: the cards are being dealt.";
  const left = t.secondsLeft(); // seconds that go by are to be seen, not to be read aloud one after another
  return html`Waiting for the cut of ${listed(names)}<span aria-hidden="true">${left === null ? "" : `, ${left} s left`}</span>.`;
}

// -- open ---------------------------------------------------------------------------------------------------------------

function open(t) {
  return html`
    <section class="who-sits" aria-labelledby="seats">
      <h2 id="seats">Seats</h2>
      ${t.you === null && freeSeats(t).length ? nameField(t) : nothing}
      <ol class="sitting">${repeat(t.table.seats, (_, i) => i, (seat, i) => (seat ? taken(t, seat, i) : free(t, i)))}</ol>
      ${t.table.hosting ? hosting(t) : nothing}
    </section>
    <aside class="beside">
      ${freeSeats(t).length ? invite(t) : nothing}
      <section class="settings" aria-labelledby="settings"><h2 id="settings">Settings</h2>${settings(t)}</section>
      <section aria-labelledby="cut"><h2 id="cut">How the cards are cut</h2>${cut()}</section>
      <p class="ways-out"><button type="button" @click=${() => t.open({ kind: "how" })}>How to play</button>
        <button type="button" @click=${() => t.open({ kind: "options" })}>Options</button>
        ${t.table.hosting ? closing(t) : nothing}</p>
    </aside>`;
}

const cut = () => html`<p class="soft">When the game starts, the browser of everyone here adds a secret number to the shuffle that it promised on sitting down, so nobody, not even this house, can choose the deal.</p>`;

function called(t) {
  return (t.own.called ?? me()?.name ?? "").trim() || "Guest";
}

function nameField(t) {
  return html`<label class="called">Your name <input .value=${t.own.called ?? me()?.name ?? ""} maxlength="24" autocomplete="nickname" placeholder="Guest"
    @input=${(event) => { t.own.called = event.target.value; }}></label>`;
}

function taken(t, seat, i) {
  const own = i === t.you, bot = seat.kind === "bot";
  const tags = [own ? "you" : null, t.table.host === i ? "host" : null].filter(Boolean);
  return html`<li class=${own ? "mine" : ""} .style=${`--hue:${hue(i)}`}><i class="dot" aria-hidden="true"></i>
    <span class="person"><b class="name">${seat.name}</b>${tags.map((tag) => html`<span class="tag">${tag}</span>`)}</span>
    ${own ? html`<button type="button" class="act" @click=${() => act(t, () => stand(t, i))}>Stand up</button>`
      : bot && t.table.hosting ? html`<button type="button" class="act" aria-label=${`Send away ${seat.name} in seat ${i + 1}`} @click=${() => act(t, () => t.live.command(`bots/${i}`, undefined, "DELETE"))}>Send away</button>` : nothing}</li>`;
}

function free(t, i) {
  const mayBot = t.table.hosting && t.card?.bots.includes(t.table.seats.length);
  return html`<li class="free" .style=${`--hue:${hue(i)}`}><i class="dot" aria-hidden="true"></i><span class="person">Free seat</span>
    <span class="acts">${t.you === null ? html`<button type="button" class=${`act${i === freeSeats(t)[0] ? " filled" : ""}`} aria-label=${`Take this seat: ${i + 1}`} @click=${() => act(t, () => sit(t, i))}>Take this seat</button>` : nothing}
    ${mayBot ? html`<button type="button" class="act" aria-label=${`Add a bot in seat ${i + 1}`} @click=${() => act(t, () => addBot(t, i))}>Add a bot</button>` : nothing}</span></li>`;
}

function hosting(t) {
  const left = freeSeats(t), bots = t.card?.bots.includes(t.table.seats.length), level = t.own.level ?? "medium";
  const words = left.length ? `${left.length === 1 ? "One seat is" : `${left.length} seats are`} still free.` : null;
  const choices = html`<div class="bot-levels" role="group" aria-label="Level of the bots you add"><span class="hint">Bots you add</span>
    ${LEVELS.map((value) => html`<button type="button" aria-pressed=${String(value === level)} @click=${() => { t.own.level = value; t.redraw(); }}>${capital(value)}</button>`)}</div>`;
  return html`<div class="hosting">
    ${left.length && bots ? choices : nothing}
    ${left.length && !bots ? html`<p class="hint">A table of ${t.table.seats.length} is for people only here, so no bot can sit down.</p>` : nothing}
    <div class="ways">
      ${left.length > 1 && bots ? html`<button type="button" @click=${() => act(t, () => fill(t))}>Fill with bots</button>` : nothing}
      <button type="button" class=${left.length ? "" : "filled"} aria-disabled=${left.length || t.own.busy ? "true" : nothing}
        @click=${() => (left.length ? t.say(`${words} Everyone has to sit before you can start.`) : act(t, () => t.live.command("start")))}>Start the game</button>
    </div></div>`;
}

/** Do one thing at a time. */
async function act(t, doing) {
  if (t.own.busy) return;
  t.own.busy = true;
  t.redraw();
  try {
    t.quiet();
    await doing();
  } catch (fault) {
    t.say(fault.message);
  } finally {
    t.own.busy = false;
    t.redraw();
  }
}

async function sit(t, seat) {
  const was = me();
  await rename(called(t));
  if (await t.live.sit(seat) && !was) listenAnew(t.live);
}

/** A feed opened by nobody in particular shows what everyone may see: from now on it is to be one's own. */
function listenAnew(live) {
  const { socket } = live;
  live.socket = null;
  socket?.close();
  live.connect();
}

async function stand(t, seat) {
  if (await t.live.command(`seats/${seat}`, undefined, "DELETE") && !t.table.hosting) forget(t.id);
}

async function addBot(t, seat) {
  return t.live.command("bots", { level: t.own.level ?? "medium", seat });
}

async function fill(t) {
  for (const seat of freeSeats(t)) if (!(await addBot(t, seat))) return;
}

function closing(t) {
  const sure = t.own.closing;
  const press = () => {
    if (sure) return act(t, () => t.live.command("close"));
    t.own.closing = true;
    t.say("Closing sends everyone away. Press again if you mean it.");
    setTimeout(() => { t.own.closing = false; t.redraw(); }, 6000);
  };
  return html`<button type="button" class="risky" @click=${press}>${sure ? "Press again to close it" : "Close the table"}</button>`;
}

// -- inviting -----------------------------------------------------------------------------------------------------------

function invite(t) {
  const link = `${location.origin}/play/${t.id}`;
  const copy = async (event) => {
    const field = event.target.closest(".link").querySelector("input");
    field.select();
    const done = navigator.clipboard ? await navigator.clipboard.writeText(link).then(() => true, () => false) : document.execCommand("copy");
    t.own.copied = done ? "Copied." : "Copy the marked link by hand, please.";
    t.redraw();
  };
  const hand = () => navigator.share({ title: `${t.card?.title} · Faircut`, url: link }).catch(() => {}); // they thought better of it
  return html`<section class="invite" aria-labelledby="invite"><h2 id="invite">Invite people</h2>
    <p class="soft">Whoever opens this link can take a free seat. No account is needed.</p>
    <div class="link"><input readonly .value=${link} aria-label="Link to this table" @focus=${(event) => event.target.select()}>
      <button type="button" class="filled" @click=${copy}>Copy</button>
      ${"share" in navigator ? html`<button type="button" @click=${hand}>Send</button>` : nothing}</div>
    <p class="hint copied" role="status">${t.own.copied ?? ""}</p></section>`;
}

function settings(t) {
  const { table, card } = t;
  const rows = (card ? optionsAt(card, table.seats.length) : []).map((option) => [option, table.options[option.name] ?? option.default]);
  const late = table.watch_delay ? html`<div><dt>Watchers</dt><dd>see it ${Math.round(table.watch_delay / 1000)} s later</dd></div>` : nothing;
  return html`<dl class="chosen"><div><dt>Players</dt><dd>${table.seats.length}</dd></div>
    ${rows.map(([option, value]) => html`<div title=${hintOf(option)}><dt>${option.title}</dt><dd>${valueWords(option, value)}</dd></div>`)}${late}</dl>`;
}

// -- cutting, and tables that came to nothing -----------------------------------------------------------------------------

function cutting(t) {
  return html`<section class="who-sits" aria-labelledby="seats"><h2 id="seats">Seats</h2>
    <ol class="sitting">${t.table.seats.map((seat, i) => html`<li class=${i === t.you ? "mine" : ""} .style=${`--hue:${hue(i)}`}><i class="dot" aria-hidden="true"></i>
      <span class="person"><b class="name">${seat?.name}</b><span class=${`tag${seat?.promised && !seat.cut ? " waits" : ""}`}>${!seat?.promised ? "needs no cut" : seat.cut ? "has cut" : "cutting …"}</span></span></li>`)}</ol></section>
    <aside class="beside"><section aria-labelledby="cut"><h2 id="cut">How the cards are cut</h2>${cut()}</section></aside>`;
}

function after(t) {
  const { how, hosting, game } = t.table, missing = t.table.seats.filter((seat) => seat?.promised && !seat.cut).map((seat) => seat.name);
  const again = async () => {
    const done = await t.live.command("again");
    if (!done) return;
    remember(done.table.id, game);
    t.go?.(`/play/${done.table.id}`);
  };
  return html`<div class="afterwards">
    ${how === "voided" ? html`<p>The cut of ${listed(missing)} did not come within twenty seconds, so nothing was dealt: nobody wins or loses.</p>` : nothing}
    ${how === "idle" ? html`<p>A table that has not started within a day is closed.</p>` : nothing}
    <p class="ways">${t.live.next ? html`<a class="button filled" href=${`/play/${t.live.next}`}>To the next table</a>`
      : hosting ? html`<button type="button" class="filled" @click=${() => act(t, again)}>Open it again</button>`
        : html`<a class="button filled" href=${`/?new=${game}`}>Open a new table</a>`}
      <a class="button" href="/">All games</a><a class="button" href=${`/replays/${t.id}`}>Its record</a></p>
  </div>`;
}
