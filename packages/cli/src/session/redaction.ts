import type { Redaction } from "@tenon/testing/cassette";

import type { Flags } from "../command/flags.ts";

/** The properties that `--redact` hides in recordings, in addition to known forms of secrets. */
export function redactionOf(flags: Flags): Redaction {
  const values = flags.list("redact");
  return {
    keys: values.filter((value) => !value.startsWith("/")),
    paths: values.filter((value) => value.startsWith("/")),
  };
}
