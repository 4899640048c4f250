/** A row of `tools/bench/speed.json`. */
interface SpeedRow {
  readonly suite: string;
  readonly unit: "time" | "perSecond" | "bytes";
  readonly tenon: number;
  readonly official: number;
  readonly date: string;
}

/** The rows that the home page shows, and their units for people. */
const shown = [
  ["mcp-stdio", "tool calls per second over stdio"],
  ["http-server", "tool calls per second over HTTP"],
  ["size", "KB for a bundled stdio server"],
] as const;

const doors = [
  ["A server", "Tools, resources and prompts, for every protocol version.", "/guide/tools"],
  ["A client", "Calls, input requests, subscriptions, logins.", "/guide/getting-started"],
  ["A host", "Many servers in one program, with approval.", "/guide/host"],
  ["A single layer", "JSON-RPC, JSON Schema or a transport alone.", "/guide/jsonrpc"],
] as const;

/**
 * The home page: the sentence, the program and the numbers of the repository.
 *
 * @param readme - The README of the repository.
 * @param speed - The rows of `tools/bench/speed.json`.
 * @throws `Error` if one of the parts is not there.
 */
export function homePage(readme: string, speed: readonly object[]): string {
  const sentence = found(/^# .+\n\n(.+?[.])(?: |$)/m, readme, "the first sentence");
  const program = found(
    /region: examples\/quickstart\/src\/server\.ts#server -->\n\n(```ts[^]*?```)/,
    readme,
    "the program",
  );
  const rows = shown.map(([suite, unit]) => {
    const row = (speed as readonly SpeedRow[]).find((each) => each.suite === suite);
    if (row === undefined) {
      throw new Error(`tools/bench/speed.json must have a row of ${suite}.`);
    }
    return { ...row, unit, kind: row.unit };
  });
  const numbers = rows.map(
    ({ tenon, official, unit, kind }) =>
      `<li><strong>${written(tenon, kind)}</strong> ${unit}<small>official SDK 2.4: ${written(official, kind)}</small></li>`,
  );
  const date = rows[0]?.date.slice(0, 10) ?? "";
  return `---
layout: page
sidebar: false
aside: false
pageClass: home
title: Tenon
titleTemplate: MCP in TypeScript
---

<main>

<section class="lead">

# Tenon

<p class="sentence">${sentence}</p>

<p class="actions"><a class="main" href="/guide/getting-started">Get started</a> <a href="/playground">Try it here</a> <a href="/guide/why">Why Tenon</a> <a href="/guide/migrating">Come from another SDK</a></p>

</section>

<div class="program vp-doc">

${program}

</div>

<ul class="numbers">
${numbers.join("\n")}
</ul>

<p class="source vp-doc">Measured on ${date} with two cores in one run. <a href="/project/bench">The method</a>, and <a href="/guide/why#speed-and-size">the table</a>.</p>

<nav class="doors" aria-label="What do you build?">
${doors.map(([name, text, link]) => `<a href="${link}"><strong>${name}</strong><span>${text}</span></a>`).join("\n")}
</nav>

<figure>
<picture>
<source media="(prefers-reduced-motion: reduce)" srcset="/pictures/docs/images/inspector/timeline-light.png">
<img src="/pictures/docs/images/inspector.webp" width="1200" height="750" loading="lazy" alt="The inspector: a person fills in a form, calls a tool, responds to the server, and sees all messages and their durations">
</picture>
<figcaption class="vp-doc"><code>npx @tenon/cli inspect -- node server.js</code> shows every message: see <a href="/guide/inspector">the inspector</a>.</figcaption>
</figure>

</main>
`;
}

function found(pattern: RegExp, text: string, what: string): string {
  const part = pattern.exec(text)?.[1];
  if (part === undefined) {
    throw new Error(`README.md must contain ${what} of the home page (${String(pattern)}).`);
  }
  return part;
}

function written(value: number, kind: SpeedRow["unit"]): string {
  return kind === "bytes"
    ? String(Math.round(value / 1024))
    : Number(value.toPrecision(3)).toLocaleString("en");
}
