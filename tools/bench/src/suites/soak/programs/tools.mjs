// The server of both transports, and what the suite asks of its process. Run with --expose-gc.
import { getHeapCodeStatistics } from "node:v8";

import { Server } from "@tenon/mcp";

import { timers } from "./timers.mjs";

export const found = { rejections: 0, warnings: 0, errors: 0 };
const shown = new Set();

/** Counts an error and shows the first of its kind, so that a failure can be explained. */
function count(kind, error) {
  found[kind]++;
  const text = `${kind}: ${error instanceof Error ? `${error.name} ${error.message}` : String(error)}`;
  if (process.env.SOAK_SHOW && !shown.has(text) && shown.size < 50) {
    shown.add(text);
    process.stderr.write(`${text}\n`);
  }
}
process.on("unhandledRejection", (reason) => count("rejections", reason));
process.on("warning", (warning) => count("warnings", warning));
export const onError = (error) => count("errors", error);

/** What this process holds. */
export function held(server) {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  // The engine goes on compiling for minutes; what it keeps of that is no leak.
  const { code_and_metadata_size, bytecode_and_metadata_size } = getHeapCodeStatistics();
  const codeBytes = code_and_metadata_size + bytecode_and_metadata_size;
  const resources = process.getActiveResourcesInfo().filter((kind) => !/^(Timeout|Immediate)$/.test(kind));
  return {
    ...found,
    heapBytes: heapUsed - codeBytes,
    codeBytes,
    externalBytes: external,
    handles: resources.length,
    timers: timers(),
    sessions: [...server.sessions()].length,
  };
}

const number = { type: "number" };
const object = (properties) => ({ type: "object", properties, required: Object.keys(properties) });
const note = "note://changing";

/** Waits, but no longer than the request lasts. */
function wait(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}

export function createSoakServer(options) {
  const server = new Server(
    { name: "soak", version: "1.0.0" },
    { onError, limits: { drainMs: 500 }, ...options },
  );
  server.addTool({ name: "add", input: object({ a: number, b: number }) }, ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
    structuredContent: { sum: a + b },
  }));
  server.addTool({ name: "slow", input: object({ ms: number }) }, async ({ ms }, { signal }) => {
    await wait(ms, signal);
    return `waited ${ms}`;
  });
  server.addTool({ name: "report", input: object({ count: number }) }, async ({ count }, context) => {
    for (let progress = 1; progress <= count; progress++) {
      await context.progress(progress, count, "x".repeat(200));
    }
    return `reported ${count}`;
  });
  server.addTool({ name: "ask", input: object({ whom: { type: "string" } }) }, async ({ whom }, context) => {
    const answer = await context.elicit({
      message: `Who is ${whom}?`,
      requestedSchema: object({ name: { type: "string" } }),
    });
    return answer.action === "accept" ? `${whom} is ${answer.content.name}` : answer.action;
  });
  server.addTool({ name: "large", input: object({ length: number }) }, ({ length }) => "y".repeat(length));
  server.addTool({ name: "fail" }, () => {
    throw new Error("A tool that fails");
  });
  server.addResource({ uri: note, name: "changing" }, () => "changed");
  server.addTool({ name: "change" }, () => {
    server.resourceUpdated(note);
    return "changed";
  });
  let has = false;
  server.addTool({ name: "toggle" }, () => {
    has = !has;
    if (has) {
      server.addTool({ name: "extra" }, () => "");
    } else {
      server.removeTools("extra");
    }
    return "toggled";
  });
  server.addTool({ name: "held" }, () => JSON.stringify(held(server)));
  return server;
}
