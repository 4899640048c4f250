/**
 * Something that a caller awaits while nothing else keeps its process alive: it is awaited at the
 * top level of a program of its own. If its timers do not keep the process alive, the program ends
 * with exit code 13 and prints nothing.
 */
export interface Wait {
  /** What is awaited, and for what. */
  readonly name: string;
  /** The program. `url` is the address of the server beside it, {@link servers}. */
  readonly program?: readonly string[];
  /** Arguments of the command line `tenon`, instead of a program. `$url` stands for the address. */
  readonly tenon?: readonly string[];
  /** What it prints. */
  readonly prints: RegExp;
}

/**
 * The server beside the programs, in a process of its own. Its tools take longer than the pauses of
 * its clients. `/busy` turns away the first call of a tool, and `/silent` never responds.
 */
export const servers = `
import { createServer } from "node:http";
import { Server, inputRequired } from "@tenon/sdk/server";
import { createStreamableHandler, createMemoryEventStore } from "@tenon/sdk/http";
import { createTaskEngine } from "@tenon/sdk/tasks";
import { tasks } from "@tenon/sdk/tasks/server";
const server = new Server({ name: "slow", version: "1.0.0" });
server.use(tasks({ engine: createTaskEngine() }));
const later = (value) => new Promise((resolve) => setTimeout(resolve, 900, value));
server.addTool({ name: "report", task: { mode: "required", pollIntervalMs: 200 } }, () => later("reported"));
const polls = new Map();
const polled = new Set();
server.addReceivingMiddleware((next) => (request) => {
  if (request.method === "tasks/get") {
    polled.add(request.params.taskId);
    polls.get(request.params.taskId)?.();
  }
  return next(request);
});
server.addTool({ name: "watched", task: { mode: "required", pollIntervalMs: 200 } }, (_, { task }) =>
  new Promise((resolve) => {
    const end = () => resolve(later("watched"));
    if (polled.has(task.id)) end();
    else polls.set(task.id, end);
  }));
server.addTool({ name: "polled", task: { mode: "required", pollIntervalMs: 200 } }, (_, { task }) =>
  new Promise((resolve) => {
    let count = 0;
    polls.set(task.id, () => ++count === 2 && resolve("polled"));
  }));
server.addTool({ name: "read", annotations: { readOnlyHint: true } }, () => "read");
server.addTool({ name: "twice" }, (_, { requestState }) =>
  requestState === undefined ? inputRequired({ requestState: "again" }) : "twice");
server.addTool({ name: "change" }, () => { server.resourceUpdated("note://1"); return "changed"; });
server.addTool({ name: "slowly" }, async (_, { progress }) => { await progress(1); return later("slow"); });
server.addResource({ uri: "note://1", name: "note" }, () => "note");
const handler = createStreamableHandler({ getServer: () => server, sessions: { eventStore: createMemoryEventStore() } });
const turnedAway = new Set();
createServer((request, response) => {
  if (request.url === "/silent") return;
  const id = request.headers["x-program"];
  if (request.url === "/busy" && request.headers["mcp-method"] === "tools/call" && !turnedAway.has(id)) {
    turnedAway.add(id);
    request.resume();
    response.writeHead(429, { "retry-after": "1" }).end();
    return;
  }
  void handler.node(request, response);
}).listen(0, "127.0.0.1", function () { console.log("http://127.0.0.1:" + this.address().port); });
`;
