// "Check this game": the record is fetched and verified in this page, and every check shown with what came of it.

import { html, nothing } from "./vendor/lit.js";
import { shownOf } from "./frames.js";

const NAMES = {
  form: "Spelling", signature: "Signature", seed: "Seed", cuts: "Cuts", chain: "Chain of digests", deals: "Deals",
  shown: "This replay", table: "Life of the table", commands: "Commands", times: "Times", end: "End", rules: "Rules of the game",
};
const SIGNS = { true: ["✓", "holds", "good"], false: ["✗", "fails", "bad"], null: ["–", "not checked", "open"] };
const RULES = { name: "rules", ok: null, at: null, words: "Whether each move was allowed is for a program that has the rules: faircut audit checks that too." };

/** The panel. `t` is the replay; it remembers the report. */
export function checks(t) {
  const record = `/replays/${t.id}.txt`;
  return html`<div class="checks">
    <p>The record of this game is fetched anew and verified here, in your browser, by code of its own: hashes, cuts, shuffles, signature.</p>
    <p><button type="button" class="filled" aria-disabled=${t.checking ? "true" : nothing} @click=${() => check(t)}>${t.checking ? "Checking …" : t.report ? "Check again" : "Check this game"}</button></p>
    <div role="status">${t.report ? verdict(t) : t.unchecked ? html`<p class="verdict bad">${t.unchecked}</p>` : nothing}</div>
    ${t.report ? html`<ul class="found">${[...t.report.checks, RULES].map((one) => found(t, one))}</ul>` : nothing}
    <details><summary>Keys you got another way</summary>
      <label class="hint" for="own-keys">By default the keys are those that this house publishes. A key that came to you from elsewhere proves more; one a line.</label>
      <textarea id="own-keys" rows="3" spellcheck="false" autocomplete="off" .value=${t.keys ?? ""} @input=${(event) => { t.keys = event.target.value; }}></textarea></details>
    <p class="hint"><a href=${record} download=${`${t.id}.faircut`}>The record as a file</a> · <a href="/.well-known/faircut/keys">The keys of this house</a></p>
    <p class="hint">With the rules too: <code>faircut audit ${location.origin}/replays/${t.id}</code></p>
  </div>`;
}

function verdict(t) {
  const { ok, at, checks: all } = t.report, wrong = all.filter((one) => one.ok === false).length;
  if (ok) return html`<p class="verdict good">Everything that was checked holds.</p>`;
  return html`<p class="verdict bad">${wrong === 1 ? "A check fails" : `${wrong} checks fail`}.${at === null ? nothing : html` The first event at fault is ${jump(t, at)}.`}</p>`;
}

function found(t, one) {
  const [sign, words, kind] = SIGNS[String(one.ok)];
  return html`<li class=${kind} data-check=${one.name}><span class="sign" role="img" aria-label=${words}>${sign}</span>
    <div><b>${NAMES[one.name] ?? one.name}</b><p>${one.words}${one.ok === false && one.at ? html` ${jump(t, one.at)}` : nothing}</p></div></li>`;
}

const jump = (t, n) => (n >= 1 && n <= t.total
  ? html`<a href=${`#${n}`} @click=${(event) => { event.preventDefault(); t.jump(n); }}>event ${n}</a>` : `event ${n}`);

async function fetched(path) {
  const answer = await fetch(path, { headers: { accept: "text/plain" }, cache: "no-store" });
  if (!answer.ok) throw new Error(`${path} cannot be fetched.`);
  return new Uint8Array(await answer.arrayBuffer());
}

/** Fetch and verify. What was found stays in `t.report`. */
export async function check(t) {
  if (t.checking) return;
  t.checking = true;
  t.report = t.unchecked = null;
  t.draw();
  try {
    const [{ verify }, { readKeys, Distrust }] = await Promise.all([import("./verify.js"), import("./fair.js")]);
    const [data, keys] = await Promise.all([fetched(`/replays/${t.id}.txt`), vouched(t, readKeys, Distrust), t.all()]);
    const rows = t.rows.filter(Boolean), own = t.keys?.trim() ? "that you gave" : undefined;
    const report = verify(data, keys, shownOf(rows), rows, own);
    t.report = report.id === null || report.id === t.id ? report : foreign(t, report);
  } catch (fault) {
    t.unchecked = `It could not be checked: ${fault.message}`;
  }
  t.checking = null;
  t.draw();
}

/** The keys that count: those that were typed in, else the house's own; null if there are none that can be read. */
async function vouched(t, readKeys, Distrust) {
  const own = t.keys?.trim();
  try {
    return readKeys(own ? `${own}\n` : new TextDecoder().decode(await fetched("/.well-known/faircut/keys")));
  } catch (fault) {
    if (own && fault instanceof Distrust) throw new Error(`the keys: ${fault.message}.`);
    return null;
  }
}

function foreign(t, report) {
  const words = `This is the record of another table, ${report.id}.`;
  return { ...report, ok: false, checks: report.checks.map((one) => (one.name === "form" ? { ...one, ok: false, words } : one)) };
}
