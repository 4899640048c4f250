import type { Connection } from "../../transport.ts";
import type { Check, ConformanceOptions } from "../conformance.ts";
import { expect, expectEnd, numbered, rejection, turn } from "./assert.ts";

const hasConnect = ({ connect }: ConformanceOptions): boolean => connect !== undefined;

const begin = "connect must begin with signal?.throwIfAborted(), so that it rejects with the reason";

/** `Transport.connect` and its signal. */
export const connecting: readonly Check[] = [
  {
    name: "connect with an aborted signal rejects with its reason",
    applies: hasConnect,
    run: async (_factory, options) => {
      const reason = new Error("not wanted");
      const attempt = connect(options, AbortSignal.abort(reason));
      // A connection that should not exist is closed too.
      attempt.then((connection) => connection.close()).catch(() => {});
      const error = await rejection(attempt, begin);
      expect(error === reason, `${begin}; it rejected with ${String(error)}.`);
    },
  },
  {
    name: "an abort during connect ends it with the reason, or comes too late",
    applies: hasConnect,
    run: async (_factory, options) => {
      const abort = new AbortController();
      const reason = new Error("not wanted any more");
      const attempt = connect(options, abort.signal);
      abort.abort(reason);
      await attempt.then(
        (connection) => connection.close(),
        (error: unknown) =>
          expect(
            error === reason,
            `connect must reject with signal.reason, as unlessAborted does; it rejected with ${String(error)}.`,
          ),
      );
    },
  },
  {
    name: "an abort after connect changes nothing",
    applies: hasConnect,
    run: async (_factory, options) => {
      const abort = new AbortController();
      const connection = await connect(options, abort.signal);
      abort.abort();
      await turn();
      await connection.write(numbered(1));
      await connection.close();
    },
  },
  {
    name: "a connection that was never used can be closed",
    applies: hasConnect,
    run: async (_factory, options) => {
      const connection = await connect(options, new AbortController().signal);
      await connection.close();
      await expectEnd(
        connection.read(),
        "close must end the queue of its own read(), as MessageQueue.end() does",
      );
    },
  },
];

function connect({ connect: open }: ConformanceOptions, signal: AbortSignal): Promise<Connection> {
  return open === undefined ? Promise.reject(new Error("This check needs `connect`.")) : open({ signal });
}
