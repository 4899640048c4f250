import type { Request } from "@tenon/jsonrpc2";
import { createVirtualClock, type VirtualClock } from "@tenon/jsonrpc2/testing";
import { Client, type ClientOptions, type ClientSession } from "@tenon/mcp";
import { inbox, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";

/** A client of a modern server that the test plays. */
export interface Scripted {
  /** The requests of the client after the handshake. */
  readonly listens: ReturnType<typeof inbox<Request>>;
  write(message: object): Promise<void>;
  readonly session: ClientSession;
  readonly clock: VirtualClock;
}

/** Connects a client to a modern server that the test plays. */
export async function connectScripted(options: ClientOptions = {}): Promise<Scripted> {
  const [here, there] = createInMemoryTransports();
  const connection = await there.connect();
  const listens = inbox<Request>();
  const write = (message: object): Promise<void> =>
    connection.write({ jsonrpc: "2.0", ...message } as Parameters<typeof connection.write>[0]);
  void (async () => {
    for (let message = await connection.read(); message !== undefined; message = await connection.read()) {
      if (!("method" in message && "id" in message)) {
        continue;
      }
      if (message.method === "server/discover") {
        const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } };
        const result = {
          resultType: "complete",
          supportedVersions: [modernRevision],
          capabilities,
          ttlMs: 0,
          cacheScope: "private",
        };
        await write({ id: message.id, result });
      } else {
        listens.put(message);
      }
    }
  })();
  const clock = createVirtualClock();
  const client = new Client({ name: "c", version: "1" }, { clock, ...options });
  const connecting = client.connect(here);
  if (options.onToolsChanged !== undefined) {
    const first = await listens.take();
    await write(acknowledgment(first, { toolsListChanged: true }));
  }
  return { listens, write, session: await connecting, clock };
}

/** The mark of a message of a subscription. */
export const tag = ({ id }: Request): object => ({ _meta: { "io.modelcontextprotocol/subscriptionId": id } });

/** The acknowledgment of a subscription. */
export const acknowledgment = (request: Request, notifications: object): object => ({
  method: "notifications/subscriptions/acknowledged",
  params: { notifications, ...tag(request) },
});
