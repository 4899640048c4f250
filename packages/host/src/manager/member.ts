import { isRecord, reasonOf } from "@tenon/base";
import { isLocalError, type Transport } from "@tenon/jsonrpc2/core";
import type { Client, ClientExtension } from "@tenon/mcp";

import { HostError } from "../error.ts";
import type { Emitter, ListKind } from "../events.ts";
import type { PinBoard } from "../policy/pins.ts";
import { rulesOf } from "../policy/policy.ts";
import { drop, kindOf } from "../returned.ts";
import { ManagedServer } from "../server/managed-server.ts";
import { checkSpec, poolOf, type ServerSpec } from "../spec.ts";
import { WatchedResources } from "../watch/watched-resources.ts";
import { createClient } from "./handlers.ts";
import type { ManagerOptions } from "./options.ts";
import { ServerLists } from "./server-lists.ts";
import type { ManagerSettings } from "./settings.ts";

/** One server of a manager, with its client, lists and watched resources. */
export interface Member {
  readonly client: Client;
  readonly server: ManagedServer;
  readonly lists: ServerLists;
  readonly watched: WatchedResources;
}

/** The parts that all servers share. */
export interface MemberSetup extends ManagerSettings {
  readonly events: Emitter;
  readonly pins: PinBoard;
  /** The extensions of the client of every server. */
  readonly extensions: readonly ClientExtension[];
  /** Called when all cached data of the server must be discarded. */
  onForget(server: string): void;
  /** Called when lists have changed. */
  onChanged(server: string, lists: readonly ListKind[]): void;
  /** Called when a resource has changed. */
  onUpdated(server: string, uri: string): void;
  /** Called when the snapshot of the server has changed. */
  onState(): void;
}

/**
 * Sets up a server without connecting.
 *
 * @throws `HostError` `INVALID_OPTION` for an invalid spec.
 */
export function createMember(name: string, spec: ServerSpec, setup: MemberSetup): Member {
  checkSpec(name, spec);
  const { options, clock, events, pools, pins, onError } = setup;
  const rules = rulesOf(spec.policy, options.policy, poolOf(spec) === "stdio");
  const forget = (): void => {
    lists.markAll();
    setup.onForget(name);
  };
  const report = (error: unknown): void => {
    // The manager has closed the connection itself.
    const isExpected = server.state === "closed" && isLocalError(error, "CONNECTION_CLOSED");
    if (!isExpected) {
      const logger = options.logger ?? console;
      logger.warn({ server: name, err: error }, `The server ${name}: ${reasonOf(error)}`);
    }
  };
  const client = createClient(name, {
    info: options.info ?? { name: "tenon-host", version: "0.0.0" },
    handlers: options.handlers ?? {},
    rules,
    clock,
    onError: report,
    onChanged: (...kinds) => {
      kinds.forEach((kind) => lists.mark(kind));
      setup.onChanged(name, kinds);
    },
    onUpdated: (uri) => setup.onUpdated(name, uri),
  });
  client.use(...setup.extensions);
  options.onClient?.(client, name);
  const server: ManagedServer = new ManagedServer({
    name,
    spec,
    rules,
    client,
    pools,
    reconnect: setup.reconnect,
    breaker: setup.breaker,
    clock,
    random: options.random ?? Math.random,
    events,
    transport: () =>
      transportOf(name, spec, options, () => {
        forget();
        watched.renew();
      }),
    onLost: forget,
    onChange: () => setup.onState(),
    onRemoved: (reason) => {
      events.emit("mcp_server_removed", { server: name, reason });
      Promise.resolve()
        .then(() => options.onServerRemoved?.(name, reason))
        .catch(onError);
    },
    onError: report,
  });
  const lists: ServerLists = new ServerLists(server, {
    clock,
    limits: setup.limits,
    events,
    pins,
  });
  const watched: WatchedResources = new WatchedResources(server, {
    clock,
    maxWatches: setup.limits.maxWatches,
    onUpdated: (uri) => setup.onUpdated(name, uri),
  });
  return { client, server, lists, watched };
}

function transportOf(
  name: string,
  spec: ServerSpec,
  { transports }: ManagerOptions,
  onSessionRestored: () => void,
): Transport {
  if (spec.type === "custom") {
    return checkedTransport(name, "transport", spec.transport());
  }
  if (transports === undefined) {
    const message = `Cannot connect: no transport is set for servers of type ${spec.type}. Set \`transports\`, for example to nodeTransports() of @tenon/host/node.`;
    throw new HostError("INVALID_OPTION", message, { server: name, phase: "connect" });
  }
  return checkedTransport(name, "transports", transports(name, spec, { onSessionRestored }));
}

function checkedTransport(server: string, option: string, returned: unknown): Transport {
  if (!isTransport(returned)) {
    drop(returned);
    const message = `The option ${option} must return a transport, an object with connect; got ${kindOf(returned)}.`;
    throw new HostError("INVALID_OPTION", message, { server, phase: "connect" });
  }
  return returned;
}

function isTransport(value: unknown): value is Transport {
  return isRecord(value) && typeof value["connect"] === "function";
}
