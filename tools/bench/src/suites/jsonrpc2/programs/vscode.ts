import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";

import { add, method } from "../work.ts";

const connection = createMessageConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);
connection.onRequest(method, (params: unknown) => add(params));
connection.onClose(() => process.exit());
connection.listen();
