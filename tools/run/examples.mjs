// The examples as `npm run example` starts them.
import { tmpdir } from "node:os";
import { join } from "node:path";

import { root } from "./workspace.mjs";

/**
 * How an example is started.
 *
 * @typedef {object} Example
 * @property {string} shows One sentence for a visitor.
 * @property {string} file The program below `dist`.
 * @property {((folder: string) => string[]) | undefined} [args] Its arguments.
 * @property {readonly string[] | undefined} [also] Further examples that it starts.
 * @property {boolean | undefined} [inspect] Whether it is a server over standard input and output, shown in the inspector.
 * @property {string | undefined} [ends] How it ends, if not by itself.
 * @property {{ readonly what: string, readonly isThere: () => boolean } | undefined} [needs]
 */

const stop = "Ctrl-C ends it.";
const page = "It opens a page, or prints its address. Ctrl-C ends it.";

/** @type {Readonly<Record<string, Example>>} */
export const examples = {
  agent: {
    shows: "A scripted model orders screws with the tools of two servers, within a policy.",
    file: "demo.js",
  },
  app: {
    shows: "A tool with a view: call lunch_poll under Apps, and vote.",
    file: "server.js",
    inspect: true,
    ends: page,
  },
  "authorization-server": {
    shows: "An authorization server for development, with its metadata.",
    file: "demo.js",
  },
  broker: { shows: "A notes server whose users log in with a provider.", file: "server.js", ends: stop },
  browser: { shows: "A web page is the client of a server of another origin.", file: "demo.js", ends: stop },
  clock: { shows: "A client calls a clock over standard input and output.", file: "client.js" },
  cluster: {
    shows: "Three processes: asked at one, answered at another, and a third is killed.",
    file: "demo.js",
  },
  "custom-transport": { shows: "MCP over a socket, by a transport of 60 lines.", file: "demo.js" },
  demo: { shows: "One tool that asks the user, in both generations of the protocol.", file: "demo.js" },
  "drop-in": {
    shows: "A server of the official SDK 1.x that runs on Tenon.",
    file: "server.js",
    inspect: true,
    ends: page,
  },
  extension: {
    shows: "An extension: tools have prices, and a client counts what it has spent.",
    file: "demo.js",
  },
  gateway: {
    shows: "The tools of several servers behind one endpoint, for any client.",
    file: "http.js",
    args: () => ["mcp.json"],
    also: ["quickstart", "skills"],
    ends: stop,
  },
  host: { shows: "A host connects to three servers of npm and calls their tools.", file: "client.js" },
  "language-server": {
    shows: "JSON-RPC without MCP: an editor gets the findings of a language server.",
    file: "demo.js",
  },
  login: {
    shows: "A login at an authorization server of yours: give its URL and a port.",
    file: "server.js",
    ends: stop,
    needs: {
      what: "an authorization server: npm run example login https://login.example.com 3000. Without one, see the example protected",
      isThere: () => process.argv.length > 3,
    },
  },
  middleware: { shows: "A log, a rate limit and spans around the calls of a server.", file: "demo.js" },
  next: { shows: "A route of Next.js, called as Next.js calls it.", file: "demo.js" },
  notes: {
    shows: "A server of notes with tools, resources and prompts: add a note, and read it.",
    file: "server.js",
    args: () => [join(tmpdir(), "tenon-notes.json")],
    inspect: true,
    ends: page,
  },
  openapi: {
    shows: "Operations of an API as tools: call getComic with the number 1.",
    file: "server.js",
    inspect: true,
    ends: page,
  },
  postgres: {
    shows: "Tools and resources on a database.",
    file: "stdio.js",
    inspect: true,
    ends: page,
    needs: {
      what: "a PostgreSQL: set PGHOST, PGUSER and PGDATABASE",
      isThere: () => process.env["PGHOST"] !== undefined,
    },
  },
  protected: { shows: "A client is refused, logs in, and adds a note.", file: "demo.js" },
  quickstart: {
    shows: "The first server and the first client.",
    file: "client.js",
    args: (folder) => [join(folder, "dist", "server.js")],
  },
  react: { shows: "A page in React orders a cake, which is a task.", file: "demo.js", ends: stop },
  skills: {
    shows: "Skills of a server: open Skills, and read refunds.",
    file: "server.js",
    inspect: true,
    ends: page,
  },
  tasks: {
    shows: "A tool that takes long: call it as a task, and watch it under Tasks.",
    file: "server.js",
    args: () => [join(tmpdir(), "tenon-reports.log")],
    inspect: true,
    ends: page,
  },
  telemetry: { shows: "Spans are sent to a collector, which prints the trace as a tree.", file: "demo.js" },
  worker: {
    shows: "An MCP server in a Cloudflare Worker.",
    file: "worker.js",
    ends: stop,
    needs: {
      what: "wrangler: its README says how it is started with npx wrangler dev",
      isThere: () => false,
    },
  },
};

/**
 * Finds out how an example is started. Without arguments it runs in its folder, as its README says;
 * arguments of the user may be paths, which are relative to the folder of the user.
 *
 * @param {string} name
 * @param {readonly string[]} [given] The arguments of the user.
 */
export function startOf(name, given = []) {
  const { args, file } = examples[name];
  const folder = join(root, "examples", name);
  return {
    program: [join(folder, "dist", file), ...(given.length > 0 ? given : (args?.(folder) ?? []))],
    cwd: given.length > 0 ? root : folder,
  };
}
