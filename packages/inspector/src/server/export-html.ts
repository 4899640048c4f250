import type { LogLine } from "../engine/log.ts";
import { lineRedactor } from "./redacted.ts";

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a string for HTML. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? "");
}

/** The lines as one page without scripts, which can be attached to a report. */
export function htmlText(lines: readonly LogLine[], label: string): string {
  const redact = lineRedactor();
  const rows = lines.map((line) => {
    const { at, to, kind, method = "", subject = "", outcome = "", ms } = line.summary;
    const redacted = redact(line);
    const text = "withheld" in redacted ? redacted.withheld : JSON.stringify(redacted.value, undefined, 2);
    const arrow = to === "server" ? "→" : to === "client" ? "←" : "·";
    const facts = [`${(at / 1000).toFixed(3)} s`, arrow, kind, method, subject, outcome];
    const time = ms === undefined ? "" : ` ${ms} ms`;
    return `<details><summary>${escaped(facts.join(" "))}${time}</summary><pre>${escaped(text)}</pre></details>`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(label)}</title>
<style>:root{color-scheme:light dark;font:14px/1.5 system-ui,sans-serif}body{max-width:960px;margin:2em auto}pre{white-space:pre-wrap;overflow-wrap:anywhere}</style>
<h1>${escaped(label)}</h1>
${rows.join("\n")}
`;
}
