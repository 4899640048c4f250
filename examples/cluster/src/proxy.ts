import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** Starts a proxy that sends each request to the next node. @param sent - Called with its name. */
export async function startProxy(
  nodes: ReadonlyMap<string, { readonly port: number }>,
  sent: (name: string) => void,
): Promise<{ readonly url: URL; close(): void }> {
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const [name, node] = [...nodes][turn++ % nodes.size] ?? ["none"];
    sent(name);
    const { method, url: path, headers } = incoming;
    const upstream = request({ host: "127.0.0.1", port: node?.port, method, path, headers }, (response) => {
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
  return { url: new URL(`http://127.0.0.1:${port}/mcp`), close: () => server.close().closeAllConnections() };
}
