import { createServer, type Server } from "node:http";

import { methodHandler, Peer, type PeerOptions, type Transport } from "@tenon/jsonrpc2";
import { listenOnFreePort } from "@tenon/test-support/http";
import { createSSEHandler, type SSEHandlerOptions } from "@tenon/transports-sse/server";

/** What a test listens with. */
export interface Listening extends AsyncDisposable {
  readonly url: URL;
  readonly http: Server;
  readonly handler: ReturnType<typeof createSSEHandler>;
}

const methods = methodHandler<{
  echo: { params: { text: string }; result: { text: string } };
  ask: { params: object; result: unknown };
}>({
  echo: ({ text }) => ({ text }),
  ask: (_, scope) => scope.call("question", {}),
});

/** A server without a protocol of its own: it echoes, and asks back. */
export const server = {
  async connect(transport: Transport): Promise<Peer> {
    const options: PeerOptions = { handler: methods };
    return new Peer(await transport.connect(), options);
  },
};

/** An SSE handler on a free port. */
export async function listen(
  options: Partial<SSEHandlerOptions> = {},
  authenticate?: (authorization: string | undefined) => string,
): Promise<Listening> {
  const handler = createSSEHandler({ getServer: () => server, ...options });
  const http = createServer((request, response) => {
    const auth =
      authenticate === undefined ? undefined : { principal: authenticate(request.headers.authorization) };
    void handler.node(request, response, { auth });
  });
  const port = await listenOnFreePort(http);
  return {
    url: new URL(`http://127.0.0.1:${port}/sse`),
    http,
    handler,
    async [Symbol.asyncDispose]() {
      await handler.close({ drainMs: 0 });
      http.closeAllConnections();
      http.close();
    },
  };
}
