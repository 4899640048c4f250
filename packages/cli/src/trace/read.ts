import type { Cassette } from "@tenon/testing/cassette";

import type { Invocation } from "../command/invocation.ts";
import { usageError } from "../exit.ts";
import { resolveWord } from "../target/resolve.ts";

/** Reads the recording that a command names. @throws `CliError` for another kind of target. */
export async function readRecording(invocation: Invocation): Promise<Cassette> {
  const file = invocation.required("recording");
  const target = await resolveWord(invocation, file);
  if (target.kind !== "cassette") {
    throw usageError(`${file} is not a recording.`, "tenon tap or tenon record write recordings");
  }
  return target.cassette;
}
