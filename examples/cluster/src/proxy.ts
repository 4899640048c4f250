import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** Starts a proxy that sends each request to the next port. */
export async function startProxy(ports: readonly number[]): Promise<{ url: URL; close(): void }> {
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const port = ports[turn++ % ports.length];
    const upstream = request({ host: "127.0.0.1", port, method, path: url, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.on("error", () => outgoing.destroy());
      response.pipe(outgoing);
    });
    upstream.on("error", () => outgoing.destroy());
    outgoing.on("close", () => upstream.destroy());
    incoming.pipe(upstream);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
