/** Writes messages of a conversation as lines of a cassette. */
export interface MessageWriter {
  /** Writes so many messages at once: calls of tools with their responses. */
  write(count: number): void;
  /** Writes messages for a time, so many in each second. Resolves when the time is over. */
  writeFor(ms: number, perSecond: number): Promise<void>;
}

const tools = ["forecast", "order", "search", "read_file", "list_folder"];
const stepMs = 10;

/** Creates a writer that begins with the handshake. */
export function messageWriter(sink: (line: string) => void): MessageWriter {
  let id = 0;
  let at = 0;
  const put = (dir: "read" | "write", message: object): void => {
    at += 0.1;
    sink(JSON.stringify({ at, connection: 0, dir, message: { jsonrpc: "2.0", ...message } }));
  };
  sink(JSON.stringify({ tenon: 1, side: "client" }));
  const write = (count: number): void => {
    for (let left = count; left > 0; left -= 2) {
      id++;
      const name = tools[id % tools.length];
      const text = `The result of call ${id}: `.padEnd(80 + (id % 200), "x");
      put("write", {
        id,
        method: "tools/call",
        params: { name, arguments: { city: "Oslo", days: id % 14 } },
      });
      put(
        "read",
        id % 50 === 0
          ? { id, error: { code: -32_000, message: "The service is not available." } }
          : { id, result: { content: [{ type: "text", text }] } },
      );
    }
  };
  return {
    write,
    writeFor: (ms, perSecond) =>
      new Promise((resolve) => {
        const start = performance.now();
        let written = 0;
        const timer = setInterval(() => {
          const elapsed = Math.min(ms, performance.now() - start);
          const due = Math.round((elapsed / 1000) * perSecond) - written;
          write(due);
          written += due;
          if (elapsed >= ms) {
            clearInterval(timer);
            resolve();
          }
        }, stepMs);
      }),
  };
}
