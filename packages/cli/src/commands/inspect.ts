import type {
  ChatModel,
  InspectorServers,
  InspectorSource,
  LiveSource,
  ServerAddress,
} from "@tenon/inspector";
import type { Transport } from "@tenon/jsonrpc2";
import { taskClient } from "@tenon/tasks/client";

import { logIn } from "../auth/log-in.ts";
import { logOut } from "../auth/log-out.ts";
import type { Remote } from "../auth/remote.ts";
import { usesLogin } from "../auth/uses-login.ts";
import type { Invocation } from "../command/invocation.ts";
import { CliError } from "../exit.ts";
import { openModels } from "../model/open-model.ts";
import { aborted } from "../serve/front.ts";
import { openPage, startPage } from "../session/inspector-page.ts";
import { isAtTerminal } from "../shell.ts";
import { readConfigurations } from "../target/configurations.ts";
import { fetchOf } from "../target/proxy.ts";
import { remoteTarget, resolveTarget } from "../target/resolve.ts";
import type { Target } from "../target/target.ts";
import { transportTo } from "../target/transport.ts";

/** Shows a target in the inspector page, until the user ends it. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer, shell, signal } = invocation;
  const model = modelOf(invocation);
  const target = await resolveTarget(invocation);
  await using inspector = await startPage(invocation, {
    source: sourceOf(invocation, target),
    servers: configuredServers(invocation),
    ...(model === undefined ? {} : { model }),
  });
  const { href } = inspector.url;
  printer.result({ url: href }, () => href);
  const hasPerson = isAtTerminal(shell);
  printer.note(
    hasPerson
      ? "The link works once. Press Enter for another link, or Ctrl+C to end."
      : "The link works once. Interrupt to end.",
  );
  await using _page = hasPerson && !flags.has("no-open") ? await openPage(invocation, inspector) : undefined;
  const more = (): void => printer.note(inspector.link().href);
  if (hasPerson) {
    shell.stdin.on("data", more);
  }
  try {
    await aborted(signal);
  } finally {
    shell.stdin.off("data", more);
    if (hasPerson) {
      shell.stdin.pause();
    }
  }
}

/** The model of the chat. Its key stays in this process: the page gets what the model says. */
function modelOf(invocation: Invocation): ChatModel | undefined {
  const name = invocation.flags.text("model");
  return name === undefined ? undefined : openModels(invocation, [name]).get(name);
}

function sourceOf(invocation: Invocation, target: Target): InspectorSource {
  return target.kind === "cassette"
    ? { kind: "recording", label: target.label, cassette: target.cassette }
    : liveSource(invocation, target);
}

function liveSource(invocation: Invocation, target: Exclude<Target, { kind: "cassette" }>): LiveSource {
  const remote = remoteOf(target, invocation.flags.text("profile"));
  return {
    kind: "live",
    label: target.label,
    address: addressOf(target),
    fetch: fetchOf(invocation, proxyIn(target)),
    transport: ({ fetch }): Transport => ({
      connect: async (options) => (await transportTo(invocation, target, { fetch })).connect(options),
    }),
    extensions: [taskClient()],
    ...(remote === undefined
      ? {}
      : {
          async login(options) {
            await logIn(invocation, remote, options);
          },
          async logout({ fetch }) {
            await logOut(invocation, remote, { fetch });
          },
        }),
  };
}

/** The server to log in at. A server with credentials of its own needs no login. */
function remoteOf(target: Target, profile = "default"): Remote | undefined {
  return target.kind === "server" && usesLogin(target.spec)
    ? { label: target.label, url: target.spec.url, profile, proxy: target.spec.proxy }
    : undefined;
}

/** The proxy of a server in a configuration. */
function proxyIn(target: Target): Remote["proxy"] {
  return target.kind === "server" && target.spec.type !== "stdio" ? target.spec.proxy : undefined;
}

function addressOf(target: Target): ServerAddress | undefined {
  if (target.kind !== "server") {
    return undefined;
  }
  const { spec } = target;
  return spec.type === "stdio" ? { command: spec.command, args: spec.args } : { url: spec.url };
}

/** The servers in the configurations of hosts. The person can also enter a URL, but no command. */
function configuredServers(invocation: Invocation): InspectorServers {
  const read = async (): Promise<
    readonly (Target & { readonly kind: "server"; readonly owner: string })[]
  > => {
    const files = await readConfigurations(invocation.shell, invocation.flags.text("config"));
    return files.flatMap(({ path, owner, config }) =>
      (config?.servers ?? []).map(({ name, spec, redacted }) => ({
        kind: "server" as const,
        label: name,
        file: path,
        owner,
        spec,
        redacted,
      })),
    );
  };
  const idOf = ({ label, file }: { readonly label: string; readonly file?: string | undefined }): string =>
    JSON.stringify([label, file]);
  return {
    async list() {
      return (await read()).map((target) => {
        const { type, ...rest } = target.redacted ?? { type: "" };
        const {
          command,
          args = [],
          url,
        } = rest as { command?: string; args?: readonly string[]; url?: string };
        return {
          id: idOf(target),
          name: target.label,
          label: url ?? [command ?? type, ...args].join(" ").slice(0, 200),
          origin: `${target.owner}, ${target.file ?? ""}`,
        };
      });
    },
    async open(server) {
      if ("id" in server) {
        const found = (await read()).find((target) => idOf(target) === server.id);
        if (found === undefined) {
          throw new CliError("usage", "The configuration no longer has this server. Load the page again.");
        }
        return liveSource(invocation, found);
      }
      // Headers of the command line are credentials for the first server.
      return liveSource(invocation, remoteTarget(server.url, {}));
    },
  };
}
