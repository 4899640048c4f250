import { once } from "node:events";
import { connect, type Socket } from "node:net";

import { AnswerReader, type Answer } from "./response.ts";

/** Connects to a port of this machine. */
export async function openSocket(port: number, localAddress?: string): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  await once(socket, "connect");
  return socket;
}

/** A connection to a server that carries one request at a time. */
export class LoadConnection {
  readonly #socket: Socket;
  readonly #reader = new AnswerReader();
  #waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => {
      const answer = this.#reader.take(chunk);
      if (answer !== undefined) {
        this.#take()?.resolve(answer);
      }
    });
    socket.on("error", (error) => this.#take()?.reject(error));
    socket.on("close", () => this.#take()?.reject(new Error("The server has closed the connection")));
  }

  /**
   * @param localAddress - The address to connect from, such as 127.0.0.2. By default the kernel
   *   chooses it.
   */
  static async open(port: number, localAddress?: string): Promise<LoadConnection> {
    return new LoadConnection(await openSocket(port, localAddress));
  }

  /** Sends a request, given as the text of all of it, and waits for the whole answer. */
  send(request: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request, "latin1");
    });
  }

  /** Sends a request whose answer is never read: not a byte of it is taken from the network. */
  sendUnread(request: string): void {
    this.#socket.pause();
    this.#socket.write(request, "latin1");
  }

  close(): void {
    this.#socket.removeAllListeners("close").destroy();
  }

  #take(): { resolve(answer: Answer): void; reject(error: Error): void } | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }
}
