import { cardOf, readCard, type ServerCard } from "@tenon/ship/card";

import type { Invocation } from "../command/invocation.ts";
import { exitCodes, usageError } from "../exit.ts";
import { visible } from "../output/escape.ts";
import { openSession } from "../session/open.ts";
import { findingLines, hasErrors } from "../ship/findings.ts";
import { headersOf } from "../target/headers.ts";
import { fetchOf } from "../target/proxy.ts";
import { signalWithin } from "../target/transport.ts";

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
    const timeoutMs = flags.duration("timeout") ?? cardTimeoutMs;
    using limit = signalWithin(signal, timeoutMs);
    // The limit of the signal comes first, because its error names the option.
    const read = await readCard(url, {
      fetch: sendingOf(invocation),
      signal: limit,
      timeoutMs: timeoutMs + 1000,
    });
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
  const card = made(() => cardOf(serverInfo, { name, url, description: flags.text("description") }));
  printer.result(card, () => visible(JSON.stringify(card, undefined, 2)));
  return exitCodes.ok;
}

/** Reports a name, URL or description that no card may have as an error of usage. */
function made(make: () => ServerCard): ServerCard {
  try {
    return make();
  } catch (cause) {
    if (!(cause instanceof TypeError)) {
      throw cause;
    }
    throw usageError(cause.message.replace(/^cardOf: /, "Cannot make a card: "), "--name, --description");
  }
}

/** The time for a card if no `--timeout` is given, in milliseconds. */
const cardTimeoutMs = 15_000;

/** Sends requests with the headers, and by the proxy, of the options. */
function sendingOf(invocation: Invocation): (url: URL, init: RequestInit) => Promise<Response> {
  const send = fetchOf(invocation);
  const added = Object.entries(headersOf(invocation.flags.list("header")));
  return (url, init) => {
    const headers = new Headers(init.headers);
    for (const [name, value] of added) {
      headers.set(name, value);
    }
    // Headers may be secrets, which another server must not receive.
    return send(url, { ...init, headers, ...(added.length === 0 ? {} : { redirect: "manual" }) });
  };
}
