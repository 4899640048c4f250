import { connectionClosed, type Connection, type DecodeLimits } from "../src/index.ts";
import { type ByteStream, ndjsonConnection } from "../src/stream.ts";
import type { ConnectedPair } from "../src/testing.ts";

/**
 * One direction of a pipe between two ends in this process: bytes, cut where it likes, with room
 * for so many.
 */
class Half {
  readonly #capacity: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #ended = false;
  #onChange: (() => void)[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  async read(isClosed: () => boolean): Promise<Uint8Array | undefined> {
    for (;;) {
      const chunk = isClosed() ? undefined : this.#chunks.shift();
      if (chunk !== undefined) {
        this.#bytes -= chunk.length;
        this.changed();
        return chunk;
      }
      if (this.#ended || isClosed()) {
        return undefined;
      }
      await this.#change();
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#ended) {
      throw connectionClosed();
    }
    const middle = Math.trunc(bytes.length / 3);
    this.#chunks.push(bytes.subarray(0, middle), bytes.subarray(middle));
    this.#bytes += bytes.length;
    this.changed();
    while (this.#bytes > this.#capacity) {
      if (this.#ended) {
        throw connectionClosed();
      }
      await this.#change();
    }
  }

  end(): void {
    this.#ended = true;
    this.changed();
  }

  changed(): void {
    for (const wake of this.#onChange.splice(0)) {
      wake();
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#onChange.push(resolve);
    });
  }
}

const utf8 = new TextEncoder();

function streamOver(inbound: Half, outbound: Half): ByteStream {
  let closed = false;
  return {
    read: () => inbound.read(() => closed),
    write: (text) => outbound.write(utf8.encode(text)),
    close() {
      closed = true;
      outbound.end();
      inbound.end();
      return Promise.resolve();
    },
  };
}

/** Two connections over a pipe of bytes, and a way to write raw text from left to right. */
export function createPipe(limits?: DecodeLimits): ConnectedPair & { inject(text: string): Promise<void> } {
  const toRight = new Half(256 * 1024);
  const toLeft = new Half(256 * 1024);
  const left: Connection = ndjsonConnection(streamOver(toLeft, toRight), limits);
  const right: Connection = ndjsonConnection(streamOver(toRight, toLeft), limits);
  return { left, right, inject: (text) => toRight.write(utf8.encode(`${text}\n`)) };
}
