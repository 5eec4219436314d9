// Markdown as far as the rules of games use it: headings, paragraphs, lists, tables, emphasis, code. It becomes templates:
// text from the house is never read as HTML.

import { html } from "./vendor/lit.js";

const SPANS = /(\*\*[^*]+\*\*|`[^`]+`|\*[^*\s][^*]*\*)/;

// **strong**, *emphasis* and `code`; whatever else there is stands as it is.
function spans(text) {
  return text.split(SPANS).map((part) => {
    if (/^\*\*.+\*\*$/.test(part)) return html`<strong>${spans(part.slice(2, -2))}</strong>`;
    if (/^`.+`$/.test(part)) return html`<code>${part.slice(1, -1)}</code>`;
    if (/^\*.+\*$/.test(part)) return html`<em>${spans(part.slice(1, -1))}</em>`;
    return part;
  });
}

function kindOf(line) {
  if (line.startsWith("|")) return "table";
  if (/^\d+\.\s/.test(line)) return "ol";
  if (/^[-*]\s/.test(line)) return "ul";
  return /^#+\s/.test(line) ? "head" : "text";
}

/**
 * What stands in the text, in order: {kind: "head", level, text}, {kind: "text", text}, {kind: "ol" | "ul", items, start},
 * {kind: "table", rows}. A list that goes on after a table keeps its numbers.
 * @param {string} text
 */
export function blocks(text) {
  const out = [];
  let open = null; // the block that the next line may go on with
  for (const raw of text.split("\n")) {
    const line = raw.trim(), kind = kindOf(line), last = out[out.length - 1];
    if (!line) open = null;
    else if (kind === "table" && open?.kind === "table") open.lines.push(line);
    else if (kind === "text" && open && open.kind !== "table" && open.kind !== "head") open.lines.push(line);
    else {
      open = { kind, lines: [line] };
      if ((kind === "ol" || kind === "ul") && last?.kind === kind) last.items.push(open);
      else out.push(kind === "ol" || kind === "ul" ? { kind, items: [open], start: parseInt(line, 10) || 1 } : open);
    }
  }
  return out.map(closed);
}

function closed(block) {
  const { kind } = block;
  if (kind === "ol" || kind === "ul") {
    return { kind, start: block.start, items: block.items.map((item) => item.lines.join(" ").replace(/^(\d+\.|[-*])\s+/, "")) };
  }
  if (kind === "table") {
    const rows = block.lines.map((line) => line.replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim()));
    return { kind, rows: rows.filter((_, i) => i !== 1) };
  }
  const text = block.lines.join(" ");
  return kind === "head" ? { kind, level: text.match(/^#+/)?.[0].length ?? 1, text: text.replace(/^#+\s+/, "") } : { kind, text };
}

/** An anchor made of a heading. */
export const anchor = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");

/** The blocks as a part of a page that has a heading of its own. */
export function drawn(found) {
  return found.map((block) => {
    if (block.kind === "head") return block.level < 3 ? html`<h3 id=${anchor(block.text)}>${spans(block.text)}</h3>` : html`<h4 id=${anchor(block.text)}>${spans(block.text)}</h4>`;
    if (block.kind === "ol") return html`<ol start=${block.start}>${block.items.map((item) => html`<li>${spans(item)}</li>`)}</ol>`;
    if (block.kind === "ul") return html`<ul>${block.items.map((item) => html`<li>${spans(item)}</li>`)}</ul>`;
    if (block.kind === "text") return html`<p>${spans(block.text)}</p>`;
    const [head, ...rows] = block.rows;
    return html`<div class="wide-table" tabindex="0" role="region" aria-label=${`Table: ${head.filter(Boolean).join(", ")}`}><table><thead><tr>${head.map((cell) => html`<th scope="col">${spans(cell)}</th>`)}</tr></thead>
      <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${spans(cell)}</td>`)}</tr>`)}</tbody></table></div>`;
  });
}
