import { connectedSource, proxyServer } from "@tenon/compose";
import { CallRelay } from "@tenon/host";

import type { Invocation } from "../command/invocation.ts";
import { usageError } from "../exit.ts";
import { messageOf } from "../output/escape.ts";
import { connectTarget } from "../serve/connect-target.ts";
import { serveFront } from "../serve/front.ts";
import { resolveWord } from "../target/resolve.ts";

/** Serves a recording as if it were the server. */
export async function run(invocation: Invocation): Promise<undefined> {
  const file = invocation.required("target");
  const target = await resolveWord(invocation, file);
  if (target.kind !== "cassette") {
    throw usageError(`${file} is not a recording.`, "tenon record <target> --out recording.jsonl");
  }
  await using relay = new CallRelay();
  const onError = (error: unknown): void => invocation.printer.warn(messageOf(error));
  await using source = connectedSource({ relay, connect: connectTarget(invocation, target), onError });
  await source.start();
  await serveFront(invocation, proxyServer(source, { relay, onError }));
}
