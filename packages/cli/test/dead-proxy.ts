import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";

import { onTestFinished } from "vitest";

/** A proxy that ends every connection. */
export async function deadProxy(): Promise<{ readonly url: string; connections(): number }> {
  let connections = 0;
  const proxy = createServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, connections: () => connections };
}
