import type { Invocation } from "../command/invocation.ts";
import { usageError } from "../exit.ts";
import { messageOf } from "../output/escape.ts";
import { createForwarding } from "../serve/forwarding.ts";
import { serveFront } from "../serve/front.ts";
import { proxyServer } from "../serve/proxy-server.ts";
import { sessionSource } from "../serve/session-source.ts";
import { openSession } from "../session/open.ts";
import { resolveWord } from "../target/resolve.ts";

/** Serves a recording as if it were the server. */
export async function run(invocation: Invocation): Promise<undefined> {
  const file = invocation.required("target");
  if ((await resolveWord(invocation, file)).kind !== "cassette") {
    throw usageError(`${file} is not a recording.`, "tenon record <target> --out recording.jsonl");
  }
  await using opened = await openSession(invocation);
  const source = sessionSource(opened.session, createForwarding());
  await serveFront(
    invocation,
    proxyServer(source, { onError: (error) => invocation.printer.warn(messageOf(error)) }),
  );
}
