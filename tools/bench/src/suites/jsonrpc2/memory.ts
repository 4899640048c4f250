import { PassThrough } from "node:stream";

import { Peer, methodHandler, type AnyMethods } from "@tenon/jsonrpc2";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";

import { add, method, paramsOf, type Caller } from "./work.ts";

/**
 * A direct function call, with one JSON round trip each way: what any protocol costs that passes
 * text.
 */
export function raw(name = "raw", envelope: object = {}, decoration: object = {}): Caller {
  let lastId = 0;
  const answer = (text: string): string => {
    const request = JSON.parse(text) as { id: number; params: unknown };
    return JSON.stringify({
      jsonrpc: "2.0",
      id: request.id,
      result: { ...add(request.params), ...decoration },
    });
  };
  return {
    name,
    call: async (index) => {
      const text = JSON.stringify({
        jsonrpc: "2.0",
        id: ++lastId,
        method,
        params: { ...paramsOf(index), ...envelope },
      });
      return (JSON.parse(answer(text)) as { result: unknown }).result;
    },
    close: () => {},
  };
}

async function tenon(name: string, serialize: boolean): Promise<Caller> {
  const [left, right] = createInMemoryTransports({ serialize });
  const server = new Peer(await right.connect(), { handler: methodHandler<AnyMethods>({ [method]: add }) });
  const client = new Peer(await left.connect());
  return {
    name,
    call: (index) => client.call(method, paramsOf(index)),
    close: async () => {
      await Promise.all([client.close(), server.close()]);
    },
  };
}

function vscode(): Caller {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const server = createMessageConnection(
    new StreamMessageReader(toServer),
    new StreamMessageWriter(toClient),
  );
  const client = createMessageConnection(
    new StreamMessageReader(toClient),
    new StreamMessageWriter(toServer),
  );
  server.onRequest(method, (params: unknown) => add(params));
  server.listen();
  client.listen();
  return {
    name: "vscode-jsonrpc",
    call: (index) => client.sendRequest(method, paramsOf(index)),
    close: () => {
      client.dispose();
      server.dispose();
    },
  };
}

/** Client and server in one process. */
export async function memoryCallers(): Promise<Caller[]> {
  return [raw(), await tenon("tenon", true), await tenon("tenon, zero-copy", false), vscode()];
}
