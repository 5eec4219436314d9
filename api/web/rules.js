// The rules of a game, whose text is Markdown, as a page. Text from the house is never read as HTML.

function make(tag, attributes = {}, ...inside) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...inside);
  return node;
}

// **strong**, *emphasis* and `code`; whatever else there is stands as it is.
function spans(text) {
  return text.split(/(\*\*[^*]+\*\*|`[^`]+`|\*[^*\s][^*]*\*)/).map((part) => {
    if (/^\*\*.+\*\*$/.test(part)) return make("strong", {}, ...spans(part.slice(2, -2)));
    if (/^`.+`$/.test(part)) return make("code", {}, part.slice(1, -1));
    if (/^\*.+\*$/.test(part)) return make("em", {}, ...spans(part.slice(1, -1)));
    return part;
  });
}

function table(lines) {
  const cells = (line) => line.replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
  const [head, , ...body] = lines.map(cells);
  return make("div", { class: "scroll" }, make("table", {},
    make("thead", {}, make("tr", {}, ...head.map((cell) => make("th", { scope: "col" }, ...spans(cell))))),
    make("tbody", {}, ...body.map((row) => make("tr", {}, ...row.map((cell) => make("td", {}, ...spans(cell))))))));
}

function block(kind, lines) {
  const text = lines.join(" ");
  if (kind === "table") return table(lines);
  if (kind === "item") return make("ol", { start: parseInt(text) }, make("li", {}, ...spans(text.replace(/^\d+\.\s+/, ""))));
  if (kind === "dot") return make("ul", {}, make("li", {}, ...spans(text.replace(/^[-*]\s+/, ""))));
  if (kind === "head") return make(`h${text.match(/^#+/)[0].length}`, {}, ...spans(text.replace(/^#+\s+/, "")));
  return make("p", {}, ...spans(text));
}

function kindOf(line) {
  if (line.startsWith("|")) return "table";
  if (/^\d+\.\s/.test(line)) return "item";
  if (/^[-*]\s/.test(line)) return "dot";
  return /^#+\s/.test(line) ? "head" : "text";
}

function pages(text) {
  const out = [];
  let lines = [], kind = "";
  const end = () => {
    if (!lines.length) return;
    const node = block(kind, lines), last = out.at(-1);
    if (last && last.tagName === node.tagName && /^[OU]L$/.test(node.tagName)) last.append(...node.childNodes);
    else out.push(node);
    lines = [];
  };
  for (const raw of text.split("\n")) {
    const line = raw.trim(), now = kindOf(line);
    if (!line) { end(); continue; }
    if (lines.length && !(now === "text" && kind !== "table" && kind !== "head") && !(now === "table" && kind === now)) end();
    if (!lines.length) kind = now;
    lines.push(line);
  }
  end();
  return out;
}

const game = new URLSearchParams(location.search).get("game") ?? "";
const path = `/games/${encodeURIComponent(game)}/rules`;
fetch(path).then(async (answer) => {
  if (!answer.ok) throw new Error();
  const nodes = pages(await answer.text());
  document.title = `${nodes[0]?.textContent ?? "Rules"} · Faircut`;
  document.getElementById("rules").replaceChildren(...nodes);
}).catch(() => document.getElementById("rules").replaceChildren(make("p", {}, "There are no such rules here.")));
