// A raw conversation over stdio: one request after the other, in the revision 2025-11-25, and everything that comes back.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** What the client answers to requests of the server. */
const answers = {
  "elicitation/create": () => ({ action: "accept", content: { name: "Ada", check: true } }),
  "sampling/createMessage": () => ({
    role: "assistant",
    model: "m",
    content: { type: "text", text: "sampled" },
  }),
  // The folder that the server for files is started with: it takes the roots at a time of its own.
  "roots/list": () => ({ roots: [{ uri: new URL("../fixtures", import.meta.url).href, name: "fixtures" }] }),
  ping: () => ({}),
};

/**
 * Starts a server and has a conversation with it.
 *
 * @param options.afterAsked - A method that the server sends at a time of its own: the requests wait for it.
 */
export async function converse(file, args, requests, { timeoutMs = 20_000, cwd, env, afterAsked } = {}) {
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    cwd,
    env: { ...process.env, ...env },
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  child.on("error", (error) => (stderr += error.message));
  child.stdin.on("error", () => {});
  const waiting = new Map();
  const notifications = [];
  const asked = [];
  let onAsked = () => {};
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  createInterface({ input: child.stdout }).on("line", (line) => {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    if (message.method === undefined) {
      waiting.get(message.id)?.(message);
    } else if (message.id === undefined) {
      notifications.push(message);
    } else {
      asked.push({ method: message.method, params: message.params });
      const answer = answers[message.method];
      send(
        answer
          ? { id: message.id, result: answer(message.params) }
          : { id: message.id, error: { code: -32601, message: "no" } },
      );
      onAsked(message.method);
    }
  });
  const exited = new Promise((resolve) => {
    child.on("exit", (code, signal) => {
      for (const [, settle] of waiting) {
        settle({ error: { exited: code, stderr: stderr.slice(-500) } });
      }
      resolve({ code, signal });
    });
  });
  let id = 0;
  const call = (method, params) =>
    new Promise((resolve) => {
      const mine = ++id;
      const timer = setTimeout(() => resolve({ timedOut: method }), timeoutMs);
      const done = (message) => {
        clearTimeout(timer);
        waiting.delete(mine);
        resolve({ result: message.result, error: message.error });
      };
      if (child.exitCode !== null || child.signalCode !== null) {
        done({ error: { exited: child.exitCode, stderr: stderr.slice(-500) } });
        return;
      }
      waiting.set(mine, done);
      send({ id: mine, method, ...(params === undefined ? {} : { params }) });
    });
  const results = [
    await call("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } },
      clientInfo: { name: "raw", version: "1" },
    }),
  ];
  const ready = new Promise((resolve) => {
    onAsked = (method) => method === afterAsked && resolve();
  });
  send({ method: "notifications/initialized" });
  await (afterAsked && Promise.race([ready, exited]));
  for (const [method, params] of typeof requests === "function" ? [] : requests) {
    results.push(await call(method, params));
  }
  if (typeof requests === "function") {
    await requests(async (method, params) => {
      const result = await call(method, params);
      results.push(result);
      return result;
    });
  }
  child.stdin.end();
  const timer = setTimeout(() => child.kill(), 2000);
  await exited;
  clearTimeout(timer);
  return { results, notifications, asked };
}
