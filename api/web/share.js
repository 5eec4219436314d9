// Sharing a result: words and squares, and a picture of the chart. Only what everyone may know after the end.

import { plan } from "./chart.js";

const SQUARES = ["🟦", "🟧", "🟩", "🟪", "🟨", "🟥", "⬜", "🟫"];
const MEDALS = ["🥇", "🥈", "🥉"];

/** The result as text: game, a square per hand for who did best in it, standings. */
export function words(t) {
  const { view, table } = t, names = table.seats.map((_, i) => t.name(i));
  const places = table.outcome?.places ?? names.map(() => null), totals = view.totals ?? [];
  const best = t.card?.name === "contract_rummy" ? Math.min : Math.max;
  const squares = (view.scores ?? []).map((row) => SQUARES[row.indexOf(best(...row)) % 8]).join("");
  const order = names.map((_, i) => i).sort((a, b) => (places[a] ?? 99) - (places[b] ?? 99));
  return [`${t.card?.title} · Faircut`, squares, ...order.map((i) => `${MEDALS[(places[i] ?? 9) - 1] ?? "  "} ${SQUARES[i % 8]} ${names[i]} ${totals[i] ?? ""}`),
    `${location.origin}/replays/${t.id}`].filter(Boolean).join("\n");
}

/** A picture of the chart, drawn anew on a canvas. @returns {Promise<Blob | null>} */
export function picture(t) {
  const canvas = document.createElement("canvas"), names = t.table.seats.map((_, i) => t.name(i));
  const c = plan(t.view.scores ?? [], names, 640), scale = 2;
  canvas.width = c.wide * scale;
  canvas.height = (c.tall + 40) * scale;
  const pen = canvas.getContext("2d");
  if (!pen) return Promise.resolve(null);
  pen.scale(scale, scale);
  pen.fillStyle = "#fbfaf6";
  pen.fillRect(0, 0, c.wide, c.tall + 40);
  pen.fillStyle = "#1c2b24";
  pen.font = "bold 16px system-ui, sans-serif";
  pen.fillText(`${t.card?.title} · Faircut`, 16, 26);
  pen.translate(0, 36);
  pen.font = "12px system-ui, sans-serif";
  for (const v of c.ticks) {
    pen.strokeStyle = "#ddd8cc";
    pen.beginPath();
    pen.moveTo(c.left, c.y(v));
    pen.lineTo(c.right, c.y(v));
    pen.stroke();
    pen.fillText(String(v), 8, c.y(v) + 4);
  }
  const colours = ["#1f5fae", "#b4510f", "#1f7a3d", "#7a3da8", "#8a6a00", "#b0275f", "#0f7c86", "#5f7a1a"];
  names.forEach((_, seat) => {
    pen.strokeStyle = colours[seat % 8];
    pen.lineWidth = 2.5;
    pen.beginPath();
    c.totals.forEach((row, i) => (i ? pen.lineTo(c.x(i), c.y(row[seat])) : pen.moveTo(c.x(i), c.y(row[seat]))));
    pen.stroke();
  });
  for (const end of c.ends) {
    pen.fillStyle = colours[end.i % 8];
    pen.fillText(end.name.slice(0, 16), c.right + 8, end.at + 4, c.wide - c.right - 12);
  }
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/** Hand the result to whatever this device shares with, or to the clipboard. @returns {Promise<string>} what was done */
export async function share(t) {
  const text = words(t), image = await picture(t).catch(() => null);
  const file = image && new File([image], "faircut.png", { type: "image/png" });
  if (navigator.share && matchMedia("(pointer: coarse)").matches) {
    const with_ = file && navigator.canShare?.({ files: [file] }) ? { text, files: [file] } : { text };
    return navigator.share(with_).then(() => "Shared.", () => "Not shared.");
  }
  if (!navigator.clipboard) return "This browser lets no page copy from an address without https.";
  return navigator.clipboard.writeText(text).then(() => "The result is in the clipboard.", () => "This browser does not let pages copy.");
}

/** Save the picture of the chart. */
export async function save(t) {
  const image = await picture(t);
  if (!image) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(image);
  link.download = `faircut-${t.id}.png`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
