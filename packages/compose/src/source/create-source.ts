import { isRecord } from "@tenon/base";
import type { LaneSetup, Manager } from "@tenon/host";
import type { Transport } from "@tenon/jsonrpc2";
import { Client, type ClientSession } from "@tenon/mcp/client";
import { Server, type ServerExtension } from "@tenon/mcp/server";

import { borrowedSource } from "./borrowed-source.ts";
import type { ComposedSource, SourceSetup } from "./composed-source.ts";
import { connectedSource } from "./connected-source.ts";
import { lazySource } from "./lazy-source.ts";
import { mountedSource } from "./mounted-source.ts";
import type { ProxySource } from "./source.ts";

/**
 * Whether a value is a manager. Its class may come from another copy of a package, so its shape
 * decides.
 */
export function isManager(value: unknown): value is Manager {
  return isObject(value) && "callToolByName" in value;
}

/** Makes a source of all but managers, which have many. @throws `TypeError` for other values. */
export function createSource(
  name: string,
  given: Exclude<ComposedSource, Manager>,
  setup: SourceSetup,
): ProxySource {
  if (typeof given === "function") {
    return connectedSource({ ...setup, name, connect: connecting(name, given) });
  }
  if (isObject(given)) {
    if ("then" in given) {
      const promise = given;
      // Each list reports the error.
      promise.catch(() => {});
      return lazySource(async () => serverOf(name, await promise), name);
    }
    if (isServer(given) || isExtension(given)) {
      return mountedSource(serverOf(name, given));
    }
    if ("createServer" in given) {
      return lazySource(() => given.createServer(), name);
    }
    if ("serverCapabilities" in given) {
      const session = given;
      const related = session.network !== undefined;
      return borrowedSource({ ...setup, name, related, follows: true, session: () => session });
    }
    if ("forward" in given && "list" in given) {
      return given;
    }
    if ("open" in given) {
      const { open, related, isolation, limits = setup.limits } = given;
      return connectedSource({ ...setup, name, related, isolation, limits, connect: open });
    }
    if ("connect" in given) {
      // A transport connects once, so all callers share its connection.
      return connectedSource({
        ...setup,
        name,
        isolation: "everybody",
        connectsOnce: true,
        connect: connecting(name, () => given),
      });
    }
  }
  throw new TypeError(
    `The source ${name} must be a Server, a Manager, a ClientSession, a Transport or a function that returns one; got ${given === null ? "null" : typeof given}.`,
  );
}

function isServer(value: object): value is Server {
  return "addReceivingMiddleware" in value && "addTool" in value;
}

function isExtension(value: object): value is ServerExtension {
  return "id" in value && Object.getOwnPropertySymbols(value).length > 0;
}

/** The server itself, or a server that has nothing but the extension. */
function serverOf(name: string, given: Server | ServerExtension): Server {
  if (isServer(given)) {
    return given;
  }
  const server = new Server({ name, version: "1.0.0" });
  server.use(given);
  return server;
}

function isObject(value: unknown): value is object {
  return isRecord(value);
}

function connecting(
  name: string,
  transport: () => Transport | Promise<Transport>,
): (setup: LaneSetup) => Promise<ClientSession> {
  return async ({ options, prepare }) => {
    const client = new Client({ name: `tenon-compose-${name}`, version: "1.0.0" }, options);
    prepare(client);
    return client.connect(await transport());
  };
}
