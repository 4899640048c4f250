/** The parts of a template. Files of later layers replace files of earlier layers. */
export interface Template {
  /** `http-node`: the adapter follows the template. */
  readonly name: string;
  readonly title: string;
  /** Folders of `templates`. */
  readonly layers: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
  /** The files to publish. The package has a program of its name then. */
  readonly files?: readonly string[];
  /** A paragraph of the README. */
  readonly note?: string;
}

const always = ["@tenon/cli", "@types/node", "tsx", "typescript"];
const withPair = [...always, "@tenon/testing"];
const nodeTest = (file: string): string =>
  `npm run build && tsc -p test && node --import tsx --test test/${file}.test.ts`;

const program = {
  build: "tsc",
  start: "node dist/main.js",
  test: nodeTest("server"),
  dev: "tenon dev --inspect src/main.ts",
  check: "tenon doctor -- node dist/main.js",
};

const http = {
  build: "tsc",
  start: "node dist/main.js",
  test: nodeTest("server"),
  dev: "node --import tsx --watch src/main.ts",
  call: "tenon call http://127.0.0.1:3000/mcp time_in zone=Asia/Tokyo",
  check: "tenon doctor http://127.0.0.1:3000/mcp",
};

const containerNote =
  "`Dockerfile` makes an image that runs as a user without rights. `/live` and `/ready` are the probes of an orchestrator, and SIGTERM lets running calls finish.";

function onNode(
  adapter: string,
  title: string,
  dependencies: readonly string[],
  types: readonly string[] = [],
): Template {
  return {
    name: `http-${adapter}`,
    title: `a server over HTTP, ${title}`,
    layers: ["base", "server", "http", "container", `http-${adapter}`],
    scripts: http,
    dependencies: ["@tenon/operations", "@tenon/sdk", "zod", ...dependencies],
    devDependencies: [...withPair, ...types],
    note: containerNote,
  };
}

/** Every template. The first template is the default. */
export const templates: readonly Template[] = [
  {
    name: "stdio",
    title: "a server that a host starts as a program",
    layers: ["base", "server", "stdio"],
    scripts: { ...program, call: "tenon call time_in zone=Asia/Tokyo -- node dist/main.js" },
    files: ["dist"],
    dependencies: ["@tenon/sdk", "zod"],
    devDependencies: withPair,
  },
  onNode("node", "with node:http", []),
  onNode("express", "in Express", ["@tenon/express", "express"], ["@types/express"]),
  onNode("fastify", "in Fastify", ["@tenon/fastify", "fastify"]),
  onNode("hono", "in Hono", ["@hono/node-server", "@tenon/hono", "hono"]),
  {
    name: "http-workers",
    title: "a server over HTTP, on Cloudflare Workers",
    layers: ["base", "server", "http", "http-workers"],
    scripts: {
      ...http,
      start: "npx wrangler@4 dev",
      dev: "npx wrangler@4 dev",
      deploy: "npx wrangler@4 deploy",
      call: "tenon call http://127.0.0.1:8787/mcp time_in zone=Asia/Tokyo",
      check: "tenon doctor http://127.0.0.1:8787/mcp",
    },
    dependencies: ["@tenon/sdk", "zod"],
    devDependencies: withPair,
    note: "Tools cannot request input from a legacy client, because a Worker has no sessions. `npm run deploy` needs an account of Cloudflare.",
  },
  {
    name: "http-bun",
    title: "a server over HTTP, on Bun",
    layers: ["base", "server", "http", "http-bun"],
    scripts: { ...http, start: "bun src/main.ts", dev: "bun --watch src/main.ts" },
    dependencies: ["@tenon/sdk", "zod"],
    devDependencies: withPair,
    note: "The tests run on Node, the server on Bun.",
  },
  {
    name: "http-deno",
    title: "a server over HTTP, on Deno",
    layers: ["base", "server", "http", "http-deno"],
    scripts: {
      ...http,
      start: "deno run --allow-net --allow-env --allow-read src/main.ts",
      dev: "deno run --watch --allow-net --allow-env --allow-read src/main.ts",
    },
    dependencies: ["@tenon/sdk", "zod"],
    devDependencies: withPair,
    note: "The tests run on Node, the server on Deno, with the packages of `node_modules`.",
  },
  {
    name: "http-next",
    title: "a server over HTTP, a route of Next.js",
    layers: ["base", "server", "http", "http-next"],
    scripts: {
      ...http,
      build: "next build",
      start: "next start",
      // Next.js listens on all interfaces by default.
      dev: "next dev --hostname 127.0.0.1",
    },
    dependencies: ["@tenon/sdk", "next", "react", "react-dom", "zod"],
    // Without the types of React, `next build` installs them.
    devDependencies: [
      ...withPair.map((name) => (name === "typescript" ? "typescript@5" : name)),
      "@types/react",
    ],
    note: "On Vercel, `maxDuration` is the maximum time of a call. Several instances serve one client, so nothing is kept between requests.",
  },
  {
    name: "http-lambda",
    title: "a server over HTTP, on AWS Lambda",
    layers: ["base", "server", "http", "http-lambda"],
    scripts: { ...http, deploy: "npm run build && sam deploy --guided" },
    dependencies: ["@tenon/lambda", "@tenon/sdk", "zod"],
    devDependencies: withPair,
    note: "`src/main.ts` serves the same tools on this machine. `npm run deploy` needs an account of AWS and its SAM CLI; `template.yaml` describes the function and its URL. The name of that URL is known after the first deployment: give it as `AllowedHosts` to the second.",
  },
  {
    name: "auth",
    title: "a server over HTTP for users who log in",
    layers: ["base", "auth"],
    scripts: {
      ...http,
      login: "tenon login http://127.0.0.1:3000/mcp",
      call: "tenon list http://127.0.0.1:3000/mcp",
    },
    dependencies: ["@tenon/sdk", "zod"],
    devDependencies: [...always, "jose"],
  },
  {
    name: "tasks",
    title: "a server with a tool that takes long",
    layers: ["base", "tasks"],
    scripts: { ...program, call: "tenon call report topic=joints --elicit accept -- node dist/main.js" },
    files: ["dist"],
    dependencies: ["@tenon/sdk", "zod"],
    devDependencies: always,
  },
  {
    name: "app",
    title: "a server with a user interface",
    layers: ["base", "app"],
    scripts: {
      ...program,
      build: "tsc && esbuild view/view.ts --bundle --format=esm --minify --outfile=dist/view.js",
      dev: "npm run build && tenon inspect -- node dist/main.js",
      call: "tenon call lunch_poll -- node dist/main.js",
    },
    files: ["dist"],
    dependencies: ["@tenon/sdk", "zod"],
    devDependencies: [...withPair, "esbuild"],
  },
  {
    name: "skills",
    title: "a server with instructions for models",
    layers: ["base", "skills"],
    scripts: { ...program, call: "tenon skills -- node dist/main.js" },
    files: ["dist", "skills"],
    dependencies: ["@tenon/sdk"],
    devDependencies: always,
  },
  {
    name: "client",
    title: "a client of one server",
    layers: ["base", "client"],
    scripts: { build: "tsc", start: "node dist/main.js", test: nodeTest("client") },
    dependencies: ["@tenon/sdk"],
    devDependencies: always,
  },
  {
    name: "host",
    title: "a host of many servers, with an agent",
    layers: ["base", "host"],
    scripts: { build: "tsc", start: "node dist/main.js", test: nodeTest("host") },
    dependencies: ["@tenon/sdk"],
    devDependencies: always,
  },
];

/** The adapters of the template `http`. The first adapter is the default. */
export const adapters: readonly string[] = templates.flatMap(({ name }) =>
  name.startsWith("http-") ? [name.slice("http-".length)] : [],
);

/** The names for `--template`. All adapters share the name `http`. */
export const choices: readonly string[] = [...new Set(templates.map(({ name }) => name.replace(/-.*$/, "")))];

/** The template of a choice; `undefined` if there is none. */
export function findTemplate(choice: string, adapter: string): Template | undefined {
  const name = choice === "http" ? `http-${adapter}` : choice;
  return templates.find((template) => template.name === name);
}
