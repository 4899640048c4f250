import { setImmediate } from "node:timers/promises";

import { bridgeTool, Manager } from "@tenon/host";
import { wrapTransport, type Transport } from "@tenon/jsonrpc2";
import { createVirtualClock, type VirtualClock } from "@tenon/jsonrpc2/testing";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import { expect, onTestFinished, test } from "vitest";

import { shapes } from "./shapes.ts";

// A server that reports progress is never cut by the idle timeout of 60 s, whether somebody listens
// or not; the time is a virtual one.

const steps = 4;
const stepMs = 40_000;

/** Lets `steps` reports pass, each after two thirds of the idle timeout. */
interface Course {
  readonly server: Server;
  /** Called by the client's transport for each message that it receives. */
  received(message: object): void;
}

function createCourse(clock: VirtualClock): Course {
  const server = new Server({ name: "slow", version: "1.0.0" }, { limits: { progressIntervalMs: 0 } });
  let arrived = (): void => {};
  const work = async (_: unknown, ctx: { progress(done: number): Promise<void> }): Promise<string> => {
    for (let step = 1; step <= steps; step++) {
      const arrival = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      await ctx.progress(step);
      await arrival;
      // The client handles the message in this turn.
      await setImmediate();
      clock.advance(stepMs);
    }
    return "done";
  };
  server.addTool({ name: "work" }, work);
  server.addPrompt({ name: "work" }, work);
  server.addResource({ uri: "memo://work", name: "work" }, (uri, ctx) => work(uri, ctx));
  return {
    server,
    received: (message) => {
      if ("method" in message && message.method === "notifications/progress") {
        arrived();
      }
    },
  };
}

async function transportOf(name: string, { server, received }: Course): Promise<Transport> {
  const { serve } = shapes[name] ?? expect.fail(`no shape ${name}`);
  const endpoint = serve(server);
  onTestFinished(() => endpoint.close());
  const { transport } = await endpoint.client();
  return wrapTransport(transport, {
    onRead: (message) => {
      received(message);
      return message;
    },
  });
}

/** A client that accepts only JSON gets one message for a request: its response. */
const names = Object.keys(shapes).filter((name) => name !== "JSON");

const requests: Readonly<Record<string, (session: ClientSession) => Promise<unknown>>> = {
  "a tool": (session) => session.callTool({ name: "work" }),
  "a prompt": (session) => session.getPrompt({ name: "work" }),
  "a resource": (session) => session.readResource({ uri: "memo://work" }),
};

test.each(names.flatMap((shape) => Object.keys(requests).map((request) => [shape, request] as const)))(
  "over %s a request of %s that reports lives longer than its idle timeout, without a listener",
  async (shape, request) => {
    const clock = createVirtualClock();
    const course = createCourse(clock);
    const revisions = [shapes[shape]?.revision ?? expect.fail()];
    await using client = new Client({ name: "client", version: "1.0.0" }, { revisions, clock });
    const session = await client.connect(await transportOf(shape, course));
    expect(JSON.stringify(await requests[request]?.(session))).toContain("done");
  },
);

test.each(names)("over %s a manager and an engine tool wait for a tool that reports", async (shape) => {
  const clock = createVirtualClock();
  const course = createCourse(clock);
  const transport = await transportOf(shape, course);
  await using manager = new Manager({
    servers: { slow: { type: "custom", transport: () => transport } },
    clock,
  });
  await manager.connectAll();
  const [tool = expect.fail("no tool")] = await manager.tools();
  const { content } = await bridgeTool(tool, manager).execute({});
  expect(content).toEqual([{ type: "text", text: "done" }]);
});

test.each(names)("over %s the advice of a timeout fits what was sent", async (shape) => {
  const clock = createVirtualClock();
  const server = new Server({ name: "silent", version: "1.0.0" });
  let started = (): void => {};
  const running = new Promise<void>((resolve) => {
    started = resolve;
  });
  server.addTool({ name: "work" }, async (_, { signal }) => {
    started();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return "";
  });
  server.addReceivingMiddleware((next) => async (request) => {
    if (request.method === "tools/list") {
      started();
      await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
    }
    return next(request);
  });
  const revisions = [shapes[shape]?.revision ?? expect.fail()];
  await using client = new Client({ name: "client", version: "1.0.0" }, { revisions, clock });
  const session = await client.connect(await transportOf(shape, { server, received: () => {} }));
  const failure = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => expect.fail("no failure"),
      (error: unknown) => error,
    );
  const calling = failure(session.callTool({ name: "work" }));
  await running;
  clock.advance(60_000);
  expect(await calling).toMatchObject({
    code: "TIMEOUT",
    message: expect.stringMatching(
      /no response or progress for 60000 ms .* have the receiver report progress/,
    ),
  });
  const listing = failure(session.listTools());
  await setImmediate();
  clock.advance(60_000);
  expect(await listing).toMatchObject({
    code: "TIMEOUT",
    message: expect.stringMatching(/no response for 60000 ms \(timeoutMs\)\. Increase it\.$/),
  });
});
