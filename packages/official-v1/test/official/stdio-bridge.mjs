// Carries the requests of the conformance suite, which only speaks HTTP, to a server over stdio, one after the other, and what comes back as events. It changes nothing but the ids.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

/** Starts a server, and listens. */
export async function bridgeTo(file, port) {
  const child = spawn(process.execPath, [file], { stdio: ["pipe", "pipe", "inherit"] });
  /** The response that is written, by the id on stdio. */
  const open = new Map();
  let last = 0;
  const send = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const event = (response, message) => response.write(`data: ${JSON.stringify(message)}\n\n`);
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (!line.startsWith("{")) {
      // The example server prints to standard output, as clients must expect.
      return;
    }
    const message = JSON.parse(line);
    if (message.method !== undefined) {
      // Only the newest request can have caused it, as requests come one after the other.
      const { response } = [...open.values()].at(-1) ?? {};
      if (response !== undefined) {
        event(response, message);
      }
      return;
    }
    const { response, id } = open.get(message.id) ?? {};
    if (response !== undefined) {
      open.delete(message.id);
      event(response, { ...message, id });
      response.end();
    }
  });
  const http = createServer((request, response) => void carry(request, response));
  async function carry(request, response) {
    const message = JSON.parse((await text(request)) || "{}");
    if (message.id === undefined) {
      send(message);
      response.writeHead(202).end();
      return;
    }
    const id = ++last;
    open.set(id, { response, id: message.id });
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    response.once("close", () => {
      if (open.delete(id)) {
        send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
      }
    });
    send({ ...message, id });
  }
  await new Promise((resolve) => http.listen(port, resolve));
  return () => {
    http.closeAllConnections();
    http.close();
    child.kill();
  };
}
