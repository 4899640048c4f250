import type { RemoteSpec, StdioSpec } from "@tenon/host";
import type { Server } from "@tenon/mcp";
import type { Cassette } from "@tenon/testing/cassette";

/** The target of a command. */
export type Target =
  | {
      readonly kind: "server";
      /** As the user wrote it, without secrets. */
      readonly label: string;
      readonly spec: StdioSpec | RemoteSpec;
      /** The configuration file that names it. */
      readonly file?: string | undefined;
      /** Whether the program is in a bundle, whose folder is removed when the command ends. */
      readonly isBundle?: boolean | undefined;
      /** As {@link spec}, without secrets, if it comes from a configuration. */
      readonly redacted?: StdioSpec | RemoteSpec | undefined;
    }
  | { readonly kind: "module"; readonly label: string; readonly path: string; readonly server: Server }
  | { readonly kind: "cassette"; readonly label: string; readonly cassette: Cassette }
  | { readonly kind: "kept"; readonly label: string; readonly name: string };

/** The kind of connection, for display. */
export function placeOf(target: Target): string {
  switch (target.kind) {
    case "server":
      return target.spec.type === "stdio" ? "stdio" : target.spec.type === "sse" ? "HTTP with SSE" : "HTTP";
    case "module":
      return "in memory";
    case "cassette":
      return "recording";
    case "kept":
      return "kept connection";
  }
}

/**
 * The label of a program: its command and the first argument, because many programs are called
 * `node`. Further arguments may be secrets.
 */
export function programLabel(command: string, args: readonly string[]): string {
  const [first] = args;
  const name = command.split(/[\\/]/).at(-1) ?? command;
  return first === undefined || first.startsWith("-") ? name : `${name} ${first}`;
}
