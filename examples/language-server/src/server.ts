// A language server over standard input and output: it reports lines that contain TODO.
import { methodHandler, Peer, type MethodHandlers } from "@tenon/jsonrpc2";

import { cancelRequest } from "./cancel-request.ts";
import { contentLengthConnection } from "./content-length.ts";

// #region server
interface Methods {
  initialize: { params: { processId: number | null }; result: { capabilities: object } };
  "textDocument/diagnostic": {
    params: { textDocument: { uri: string } };
    result: { kind: "full"; items: { line: number; message: string }[] };
  };
  "textDocument/didOpen": { params: { textDocument: { uri: string; text: string } } };
}

const texts = new Map<string, string>();
const methods: MethodHandlers<Methods> = {
  initialize: () => ({ capabilities: { textDocumentSync: 1, diagnosticProvider: {} } }),
  "textDocument/didOpen": ({ textDocument: { uri, text } }) => void texts.set(uri, text),
  "textDocument/diagnostic": ({ textDocument: { uri } }) => ({
    kind: "full",
    items: (texts.get(uri) ?? "")
      .split("\n")
      .flatMap((text, line) => (text.includes("TODO") ? [{ line, message: text.trim() }] : [])),
  }),
};

const input = process.stdin[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
const connection = contentLengthConnection({
  read: async () => (await input.next()).value,
  write: (text) => new Promise((resolve) => void process.stdout.write(text, () => resolve())),
  close: async () => void process.stdin.destroy(),
});
const peer = new Peer(connection, { handler: methodHandler(methods), cancellation: cancelRequest });
await peer.closed;
// #endregion server
