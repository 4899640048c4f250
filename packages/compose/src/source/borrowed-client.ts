import type { Client, ClientRequest, ClientSession, ReceivingMiddleware } from "@tenon/mcp/client";

/** The use of one session by one source. */
export interface ClientUse {
  readonly session: ClientSession;
  readonly middleware: readonly ReceivingMiddleware<ClientRequest>[];
  /** Whether requests of the server are for the source, too. Notifications always are. */
  readonly takesRequests: () => boolean;
}

type Handle = (request: ClientRequest) => unknown;

/** The sources that use a client, the oldest first. */
interface SharedClient {
  readonly uses: Set<ClientUse>;
  /** The middleware of all uses. Made again after each change. */
  handle: Handle | undefined;
}

/**
 * Middleware cannot be removed from a client, and a client may serve many compositions one after
 * the other. They share one middleware, which forgets each of them.
 */
const clients = new WeakMap<Client, SharedClient>();

/** Adds middleware for one session of a client. @returns Removes it. */
export function useClient(use: ClientUse): () => void {
  const client = use.session.client as Client;
  const shared = clients.get(client) ?? install(client);
  const changed = (): void => {
    shared.handle = undefined;
  };
  shared.uses.add(use);
  changed();
  return () => {
    shared.uses.delete(use);
    changed();
  };
}

function install(client: Client): SharedClient {
  const shared: SharedClient = { uses: new Set(), handle: undefined };
  clients.set(client, shared);
  client.addReceivingMiddleware((next) => (request) => {
    shared.handle ??= [...shared.uses].reduce(withUse, next);
    return shared.handle(request);
  });
  return shared;
}

/** Passes the messages of one use through its middleware. */
function withUse(next: Handle, { session, middleware, takesRequests }: ClientUse): Handle {
  const own = middleware.reduceRight<Handle>((inner, each) => each(inner), next);
  return (request) =>
    request.session === session && (request.id === undefined || takesRequests())
      ? own(request)
      : next(request);
}
