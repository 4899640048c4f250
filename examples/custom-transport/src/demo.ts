// A server on a socket of this machine, and a client that connects to it.
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { LoggingTransport } from "@tenon/jsonrpc2";
import { Client, Server } from "@tenon/mcp";

import { socketConnection, socketTransport } from "./socket-transport.ts";

const name = `tenon-example-${process.pid}`;
const path = process.platform === "win32" ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
const server = new Server({ name: "socket", version: "1.0.0" });
server.addTool({ name: "greet" }, () => "Hello over a socket.");

const listening = createServer((socket: Socket) => {
  console.log("Server: a client has connected.");
  const transport = { connect: () => Promise.resolve(socketConnection(socket)) };
  const write = (line: string): void => console.log(`Server: ${line.trimEnd().slice(0, 140)}`);
  void server.connect(new LoggingTransport(transport, { write }));
});
await once(listening.listen(path), "listening");
console.log(`Server: listening at ${path}`);

const client = new Client({ name: "client", version: "1.0.0" });
const session = await client.connect(socketTransport(path));
console.log("Client gets:", JSON.stringify((await session.callTool({ name: "greet" })).content));
await client.close();
await server.close();
listening.close();
