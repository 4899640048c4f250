import { text, type Documented } from "./documented.ts";

const guide = "tools/docs/test/guide";

/** The programs that import a web framework. */
export const ofFrameworks: readonly Documented[] = [
  ...(
    [
      ["express", "packages/express/test/readme.test.ts#app", `${guide}/shutdown.ts#express`],
      ["hono", "packages/hono/test/readme.test.ts#app", `${guide}/shutdown.ts#hono`],
      ["fastify", "packages/fastify/test/readme.test.ts#app", `${guide}/shutdown.ts#fastify`],
    ] as const
  ).map(([name, app, shutdown]): Documented => ({
    name: `${name}: an app serves, drains at SIGTERM, and its process ends`,
    parts: [
      text('const host = "127.0.0.1"; const port = 0;'),
      app,
      shutdown,
      text('console.log("ready");', 'process.once("exit", () => console.log("ended"));'),
    ],
    until: /ready\n/,
    prints: "ready\nended",
  })),
];
