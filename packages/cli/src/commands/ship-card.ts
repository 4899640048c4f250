import { cardOf, readCard } from "@tenon/ship/card";

import type { Invocation } from "../command/invocation.ts";
import { exitCodes, usageError } from "../exit.ts";
import { visible } from "../output/escape.ts";
import { openSession } from "../session/open.ts";
import { findingLines, hasErrors } from "../ship/findings.ts";

/** Reads and checks the card of a remote server, or makes one from its responses. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, printer, signal } = invocation;
  const url = invocation.required("target");
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw usageError(
      `${JSON.stringify(url)} is not the URL of a server.`,
      "tenon ship card https://example.com/mcp",
    );
  }
  const name = flags.text("name");
  if (name === undefined) {
    const read = await readCard(url, { signal });
    printer.result(read, () =>
      [visible(JSON.stringify(read.card, undefined, 2)), ...findingLines(printer, read.findings)].join("\n"),
    );
    return hasErrors(read.findings) ? exitCodes.failed : exitCodes.ok;
  }
  await using opened = await openSession(invocation);
  const { serverInfo } = opened.session;
  if (serverInfo === undefined) {
    throw usageError(`${url} does not state its name.`);
  }
  const card = cardOf(serverInfo, { name, url, description: flags.text("description") });
  printer.result(card, () => visible(JSON.stringify(card, undefined, 2)));
  return exitCodes.ok;
}
