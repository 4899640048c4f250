import type { Connection, Transport } from "@tenon/sdk/client";

/** What both versions of the official SDK take for a transport. */
export interface OfficialTransport {
  onmessage?: (message: never) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  start(): Promise<void>;
  send(message: object): Promise<void>;
  close(): Promise<void>;
}

/** One of our transports, as the official SDK wants them. */
export function bridge(transport: Transport): OfficialTransport {
  let connection: Connection | undefined;
  async function readAll(from: Connection): Promise<void> {
    for (let read = await from.read(); read !== undefined; read = await from.read()) {
      official.onmessage?.(read as never);
    }
    official.onclose?.();
  }
  const official: OfficialTransport = {
    async start() {
      connection = await transport.connect();
      readAll(connection).catch((error: unknown) => official.onerror?.(error as Error));
    },
    async send(message) {
      await connection?.write(JSON.parse(JSON.stringify(message)) as never);
    },
    async close() {
      await connection?.close();
    },
  };
  return official;
}
