import { Client, type ClientOptions, type ClientSession } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { bothEras, deferred } from "@tenon/test-support";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, onTestFinished, test } from "vitest";

import { Interrupted } from "../src/shell.ts";
import { fixture, tenon } from "./support.ts";

/** The revision of the client, and that of the server behind `tenon serve`. */
const pairs = bothEras.flatMap((front) => bothEras.map((back) => [front, back] as const));

/** Starts `tenon serve`. @returns A client of it. */
async function served(front: Revision, back: Revision, options: ClientOptions): Promise<ClientSession> {
  const interruption = new AbortController();
  const url = deferred<string>();
  const serving = tenon(["serve", fixture("asking.mjs"), "--http", "--revision", back], {
    signal: interruption.signal,
    onWrite: (stream, text) => stream === "stdout" && url.resolve(text.trim()),
  });
  const failed = serving.then(({ stderr }) => Promise.reject(new Error(stderr)));
  failed.catch(() => {});
  const address = await Promise.race([url.promise, failed]);
  const client = new Client({ name: "host", version: "1" }, { ...options, revisions: [front] });
  const session = await client.connect(new StreamableClientTransport(address));
  onTestFinished(async () => {
    await session.close();
    interruption.abort(new Interrupted());
    await serving;
  });
  return session;
}

const textOf = async (session: ClientSession, name: string): Promise<unknown> => {
  const { content } = await session.callTool({ name });
  return content[0]?.type === "text" ? JSON.parse(content[0].text) : content;
};

test.each(pairs)(
  "serve passes sampling and roots from a client of %s to a server of %s",
  async (front, back) => {
    const roots = [{ uri: "file:///work", name: "work" }];
    const session = await served(front, back, {
      roots,
      sampling: {
        createMessage: ({ maxTokens }) => ({
          model: `model-${maxTokens}`,
          role: "assistant",
          content: { type: "text", text: "Thought." },
        }),
      },
    });
    expect(await textOf(session, "think")).toEqual(["model-10", { type: "text", text: "Thought." }]);
    expect(await textOf(session, "folders")).toEqual(roots);
  },
);

test.each(pairs)(
  "serve passes changes of lists and of resources to a client of %s from a server of %s",
  async (front, back) => {
    const grown = deferred();
    const session = await served(front, back, { onToolsChanged: () => grown.resolve() });
    await session.callTool({ name: "grow" });
    await grown.promise;
    const watch = session.watch("state://one");
    await watch.ready;
    const updates = watch[Symbol.asyncIterator]();
    // The watch of the server behind begins with that of the client, and is not waited for.
    const first = updates.next();
    const seen = first.then(({ value }) => value as unknown);
    let update: unknown;
    while (update === undefined) {
      const touched = session.callTool({ name: "touch" }).then(() => undefined);
      update = await Promise.race([seen, touched]);
    }
    expect(update).toMatchObject({ uri: "state://one" });
    await updates.return?.();
  },
);
