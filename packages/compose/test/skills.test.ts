import { compose, type ComposedSource } from "@tenon/compose";
import { Client, defineMethod, defineServerExtension, Server, type ClientSession } from "@tenon/mcp";
import { deferred } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

const list = defineMethod({ method: "skills/list" });
const skillsNamed = (names: readonly string[]): readonly object[] =>
  names.map((name) => ({ name, uri: `skill://${name}/SKILL.md` }));

/** A server that lists skills by a function of its own. */
function listing(
  page: (
    cursor: string | undefined,
    signal: AbortSignal,
  ) => Record<string, unknown> | Promise<Record<string, unknown>>,
): Server {
  const server = new Server({ name: "behind", version: "1.0.0" });
  server.use(
    defineServerExtension({
      id: "io.modelcontextprotocol/skills",
      setup: (own) =>
        own.addMethod(list, (params, { signal }) => page((params as { cursor?: string }).cursor, signal)),
    }),
  );
  return server;
}

interface Page {
  readonly skills: readonly { readonly name: string }[];
  readonly nextCursor?: string;
}

const pageOf = async (session: ClientSession, params: { readonly cursor?: string } = {}): Promise<Page> =>
  (await session.request(list, params)) as unknown as Page;

/** The server as a source: mounted, or behind a connection. */
function sourceOf(server: Server, kind: string): ComposedSource {
  return kind === "mounted"
    ? server
    : async () => {
        const [here, there] = createInMemoryTransports();
        await server.connect(there);
        return here;
      };
}

async function connect(composed: Server): Promise<ClientSession> {
  onTestFinished(() => composed.close({ drainMs: 0 }));
  const [here, there] = createInMemoryTransports();
  await composed.connect(there);
  const session = await new Client({ name: "ann", version: "1.0.0" }).connect(here);
  onTestFinished(() => session.close({ drainMs: 0 }));
  return session;
}

test.each(["mounted", "connected"])("a client reads the pages of one list of skills (%s)", async (kind) => {
  let lists = 0;
  const names = Array.from({ length: 250 }, (_, index) => `s${index}`);
  const behind = listing(() => ({ skills: skillsNamed(names), count: ++lists }));
  const session = await connect(compose({ behind: sourceOf(behind, kind), other: listing(() => ({})) }));
  const seen: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page: Page = await pageOf(session, cursor === undefined ? {} : { cursor });
    seen.push(...page.skills.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(seen).toEqual(names);
  expect(lists).toBe(1);
  // Pages of a list that is not kept any more are pages of a new list.
  const { skills } = await pageOf(session, { cursor: "200.unknown" });
  expect(skills).toHaveLength(50);
  for (const unknown of ["251.x", "-1.x", "0", "x"]) {
    await expect(pageOf(session, { cursor: unknown })).rejects.toMatchObject({ code: -32_602 });
  }
});

test.each(["mounted", "connected"])(
  "no page of skills is requested of a source that was late (%s)",
  async (kind) => {
    const late = deferred();
    const stopped = deferred();
    const cursors: unknown[] = [];
    const slow = listing(async (cursor, signal) => {
      cursors.push(cursor);
      if (cursor === "2" && kind === "connected") {
        signal.addEventListener("abort", () => stopped.resolve());
      }
      await (cursor === "2" ? late.promise : undefined);
      return {
        skills: skillsNamed([`late-${String(cursor)}`]),
        nextCursor: cursor === undefined ? "2" : "3",
      };
    });
    const failures: string[] = [];
    const composed = compose(
      { slow: sourceOf(slow, kind), quick: listing(() => ({ skills: skillsNamed(["quick"]) })) },
      { limits: { listTimeoutMs: 50 }, onError: (_, source) => void failures.push(source) },
    );
    const session = await connect(composed);
    const { skills } = await pageOf(session);
    expect(skills).toMatchObject([{ name: "quick" }]);
    expect(failures).toEqual(["slow"]);
    await (kind === "connected" ? stopped.promise : undefined);
    late.resolve();
    await session.ping();
    expect(cursors).toEqual([undefined, "2"]);
  },
);

test("a list of skills may be waited for without a limit", async () => {
  const composed = compose(
    { one: listing(() => ({ skills: skillsNamed(["one"]) })), other: listing(() => ({})) },
    { limits: { listTimeoutMs: Infinity } },
  );
  const { skills } = await pageOf(await connect(composed));
  expect(skills).toMatchObject([{ name: "one" }]);
});
