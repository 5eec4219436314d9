// What people say at a table: six signs and short texts. Text of others is text and nothing else.

import { html, nothing } from "./vendor/lit.js";

const EMOTES = [["hello", "👋", "Hello"], ["thanks", "🙏", "Thanks"], ["nice", "👏", "Nice one"], ["wow", "😮", "Wow"], ["oops", "😬", "Oops"], ["laugh", "😄", "Ha ha"]];

/** The chat's dialog. */
export function chat(t) {
  const may = t.you !== null || t.table.covered !== null || t.live.watchersTalk;
  const said = t.live.says.filter((line) => !t.muted?.has(line.who));
  t.read = t.live.says.findLast((line) => line.from === null || line.from !== t.you)?.id;
  const send = (body) => t.live.command("says", body);
  const submit = (event) => {
    event.preventDefault();
    const field = event.target.elements.text, text = field.value.trim();
    field.value = "";
    if (text) send({ text }).then((done) => { if (!done && !field.value) field.value = text; }); // refused: to be said later
  };
  return html`<h2 id="sheet-title">Chat</h2>
    ${said.length ? html`<ol class="says" aria-live="polite">${said.map((line) => html`<li><b><bdi>${line.name}</bdi></b> <bdi>${line.text ?? emote(line.emote)}</bdi>
      ${line.from !== t.you && said.findLast((other) => other.who === line.who) === line ? html`<button type="button" class="small" @click=${() => { t.muted = (t.muted ?? new Set()).add(line.who); t.redraw(); }}>Mute</button>` : nothing}</li>`)}</ol>`
      : html`<p class="soft">Nobody has said anything yet.</p>`}
    ${t.muted?.size ? html`<p><button type="button" class="small" @click=${() => { t.muted = null; t.redraw(); }}>Hear everyone again</button></p>` : nothing}
    ${may ? html`<div class="emotes">${EMOTES.map(([name, sign, words]) => html`<button type="button" @click=${() => send({ emote: name })}><span aria-hidden="true">${sign}</span> ${words}</button>`)}</div>
      <form @submit=${submit}><label>Say something <input name="text" maxlength="140" autocomplete="off" autofocus></label><button type="submit">Send</button></form>
      ${t.message ? html`<p class="hint" role="status">${t.message}</p>` : nothing}`
      : html`<p class="soft">Watchers may talk here when the host allows it.</p>`}
    ${t.table.hosting ? html`<p><button type="button" class="small" @click=${() => t.live.command("says/watchers", { allowed: !t.live.watchersTalk }).then((done) => { if (done) t.live.watchersTalk = done.watchers_say; t.redraw(); })}>${t.live.watchersTalk ? "Let watchers be silent" : "Let watchers talk"}</button></p>` : nothing}`;
}

/** An emote as a sign and words. */
export const emote = (name) => EMOTES.find(([known]) => known === name)?.slice(1).join(" ") ?? "…";
