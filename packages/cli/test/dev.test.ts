import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Client } from "@tenon/mcp";
import { bothEras, deferred } from "@tenon/test-support";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, onTestFinished, test } from "vitest";

import { moduleGraphOf } from "../src/dev/module-graph.ts";
import { watchFolder, watchModules } from "../src/dev/watch-files.ts";
import { Interrupted } from "../src/shell.ts";
import { fixture, self, temporaryFolder, tenon } from "./support.ts";

test.each(bothEras)(
  "dev restarts a server that changes, and clients of %s keep their connection and their watches",
  async (revision) => {
    const cwd = temporaryFolder();
    const file = join(cwd, "server.mjs");
    const source = readFileSync(fixture("watched.mjs"), "utf8");
    writeFileSync(file, source);
    const interruption = new AbortController();
    const url = deferred<string>();
    let written = "";
    const developing = tenon(["dev", "server.mjs", "--http"], {
      cwd,
      signal: interruption.signal,
      onWrite(stream, text) {
        written += text;
        if (stream === "stdout") {
          url.resolve(text.trim());
        }
      },
    });
    const failed = developing.then(({ stderr }) => Promise.reject(new Error(stderr)));
    failed.catch(() => {});
    const changed = deferred();
    const others: string[] = [];
    const client = new Client(
      { name: "host", version: "1" },
      {
        revisions: [revision],
        onToolsChanged: () => changed.resolve(),
        onPromptsChanged: () => void others.push("prompts"),
        onResourcesChanged: () => void others.push("resources"),
      },
    );
    const address = await Promise.race([url.promise, failed]);
    expect(written).toMatch(/^Starting \S+server\.mjs …\n[^]*http:/);
    const session = await client.connect(new StreamableClientTransport(address));
    onTestFinished(async () => {
      await session.close();
      interruption.abort(new Interrupted());
      await developing;
    });

    const watch = session.watch("state://one");
    await watch.ready;
    const updates = watch[Symbol.asyncIterator]();
    /** The watch of the server begins later than that of the client. */
    const touchUntilUpdated = async (name: string): Promise<void> => {
      const update = updates.next();
      let seen: unknown;
      while (seen === undefined) {
        const touched = session.callTool({ name }).then(() => undefined);
        seen = await Promise.race([update, touched]);
      }
    };
    await touchUntilUpdated("touch-one");

    writeFileSync(file, source.replace('"one"', '"two"'));
    await changed.promise;
    const { tools } = await session.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["touch-two"]);
    // Updates that were sent before, and the one that stands for the restart.
    for (let count = 0; count < 3; count++) {
      await touchUntilUpdated("touch-two");
    }
    // Only lists that differ are announced.
    expect(others).toEqual([]);
    await updates.return?.();
  },
);

test("dev --inspect shows the messages of the server in the inspector page", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "server.mjs"), readFileSync(fixture("watched.mjs"), "utf8"));
  const interruption = new AbortController();
  const page = deferred<string>();
  const url = deferred<string>();
  const developing = tenon(["dev", "server.mjs", "--http", "--inspect"], {
    cwd,
    // Over SSH no browser is opened.
    env: { SSH_TTY: "none" },
    signal: interruption.signal,
    onWrite(stream, text) {
      if (stream === "stdout") {
        url.resolve(text.trim());
      }
      const [link] = /http:\S+#code=\w+/.exec(text) ?? [];
      if (link !== undefined) {
        page.resolve(link);
      }
    },
  });
  const shown = await fetch(await page.promise);
  expect(shown.headers.get("content-type")).toBe("text/html; charset=utf-8");
  await url.promise;
  interruption.abort(new Interrupted());
  await developing;
});

test.each([
  ["dev", []],
  ["dev --inspect", ["--inspect"]],
])("%s prints why it ends if standard input is closed", async (_, options) => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "server.mjs"), readFileSync(fixture("watched.mjs"), "utf8"));
  const [node, bin] = self;
  const child = spawn(node, [bin, "dev", "server.mjs", ...options], {
    cwd,
    env: { ...process.env, HOME: cwd, SSH_TTY: "none", VITEST: undefined },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += String(chunk)));
  child.stdout.resume();
  const [code] = (await once(child, "close")) as [number];
  const reason = "Standard input was closed, so the server was stopped. --http serves without it.";
  expect([code, stderr]).toEqual([0, expect.stringContaining(`\n${reason}\n`)]);
});

test("dev keeps the last version if the next one does not start", async () => {
  const cwd = temporaryFolder();
  const file = join(cwd, "server.mjs");
  writeFileSync(file, readFileSync(fixture("watched.mjs"), "utf8"));
  const interruption = new AbortController();
  const url = deferred<string>();
  const warned = deferred();
  const developing = tenon(["dev", "server.mjs", "--http"], {
    cwd,
    signal: interruption.signal,
    onWrite(stream, text) {
      if (stream === "stdout") {
        url.resolve(text.trim());
      } else if (text.includes("The last version keeps running.")) {
        warned.resolve();
      }
    },
  });
  const address = await url.promise;
  writeFileSync(file, "throw new Error('broken');");
  await warned.promise;
  const called = await tenon(["call", address, "touch-one"]);
  expect([called.stderr, called.stdout]).toEqual(["", "one\n"]);
  interruption.abort(new Interrupted());
  await developing;
});

test("dev restarts for the modules that a program imports and nothing else, and calls in flight end at the version before", async () => {
  const cwd = temporaryFolder();
  const sdk = new URL("../../mcp/dist/index.js", import.meta.url).href;
  const name = join(cwd, "lib", "name.mjs");
  mkdirSync(join(cwd, "lib"));
  writeFileSync(name, 'export const version = "one";');
  writeFileSync(
    join(cwd, "server.mjs"),
    `import { existsSync, writeFileSync } from "node:fs";
    import { Server } from "${sdk}";
    import { version } from "./lib/name.mjs";
    export const server = new Server({ name: "exported", version: "1" });
    server.addTool({ name: "version" }, () => version);
    server.addTool({ name: "wait" }, async () => {
      // As a tool that keeps its state beside its sources.
      writeFileSync("state.json", "{}");
      writeFileSync("lib/generated.mjs", "");
      while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 10));
      return "waited at " + version;
    });`,
  );
  const interruption = new AbortController();
  const url = deferred<string>();
  const restarted = deferred();
  let restarts = 0;
  const developing = tenon(["dev", "server.mjs", "--http"], {
    cwd,
    signal: interruption.signal,
    onWrite(stream, text) {
      if (stream === "stdout") {
        url.resolve(text.trim());
      } else if (text.includes("Restarted.")) {
        restarts++;
        restarted.resolve();
      }
    },
  });
  const failed = developing.then(({ stderr }) => Promise.reject(new Error(stderr)));
  failed.catch(() => {});
  const address = await Promise.race([url.promise, failed]);
  const waiting = tenon(["call", address, "wait"]);
  while (!existsSync(join(cwd, "state.json"))) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  writeFileSync(name, 'export const version = "two";');
  await restarted.promise;
  expect((await tenon(["call", address, "version"])).stdout).toBe("two\n");
  writeFileSync(join(cwd, "go"), "");
  expect((await waiting).stdout).toBe("waited at one\n");
  expect(restarts).toBe(1);
  interruption.abort(new Interrupted());
  await developing;
});

test("dev takes a module that exports a Server, and one that connects it, in any order", async () => {
  const cwd = temporaryFolder();
  const file = join(cwd, "server.mjs");
  const exporting = (name: string): string => `
    import { Server } from "${new URL("../../mcp/dist/index.js", import.meta.url).href}";
    export const server = new Server({ name: "exported", version: "1" });
    server.addTool({ name: "${name}" }, () => "called ${name}");
  `;
  writeFileSync(file, exporting("one"));
  const interruption = new AbortController();
  const url = deferred<string>();
  let restarted = deferred();
  const developing = tenon(["dev", "server.mjs", "--http"], {
    cwd,
    signal: interruption.signal,
    onWrite(stream, text) {
      if (stream === "stdout") {
        url.resolve(text.trim());
      } else if (text.includes("Restarted.")) {
        restarted.resolve();
      }
    },
  });
  const failed = developing.then(({ stderr }) => Promise.reject(new Error(stderr)));
  failed.catch(() => {});
  const address = await Promise.race([url.promise, failed]);
  expect((await tenon(["call", address, "one"])).stdout).toBe("called one\n");
  writeFileSync(file, readFileSync(fixture("watched.mjs"), "utf8"));
  await restarted.promise;
  const called = await tenon(["call", address, "touch-one"]);
  expect([called.stderr, called.stdout]).toEqual(["", "one\n"]);
  restarted = deferred();
  writeFileSync(file, exporting("two"));
  await restarted.promise;
  expect((await tenon(["call", address, "two"])).stdout).toBe("called two\n");
  interruption.abort(new Interrupted());
  await developing;
});

test("the watch of modules survives a build that removes its folder, and knows new imports before it reports", async () => {
  const cwd = temporaryFolder();
  const dist = join(cwd, "dist");
  const entry = join(dist, "server.mjs");
  const imported = join(dist, "lib", "name.mjs");
  const build = (version: string): void => {
    rmSync(dist, { recursive: true, force: true });
    mkdirSync(join(dist, "lib"), { recursive: true });
    writeFileSync(entry, 'import "./lib/name.mjs";');
    writeFileSync(imported, version);
  };
  build("one");
  let reported = deferred();
  let onReport = (): void => {};
  const changes = watchModules(entry, () => {
    onReport();
    reported.resolve();
    return Promise.resolve();
  });
  onTestFinished(() => changes.close());
  const reports = async (change: () => void): Promise<void> => {
    reported = deferred();
    change();
    await reported.promise;
  };
  await reports(() => build("two"));
  await reports(() => writeFileSync(imported, "three"));
  await reports(() => rmSync(dist, { recursive: true }));
  await reports(() => build("four"));
  await reports(() => writeFileSync(imported, "five"));
  const later = join(dist, "lib", "later.mjs");
  // While the first version with the import starts, the imported module changes.
  const second = deferred();
  onReport = () => {
    writeFileSync(later, "two");
    onReport = second.resolve;
  };
  writeFileSync(later, "one");
  writeFileSync(entry, 'import "./lib/later.mjs";');
  await second.promise;
});

test("the watch of a folder survives its removal, and knows folders that are added, but no files of a server", async () => {
  const cwd = temporaryFolder();
  const folder = join(cwd, "src");
  const deep = join(folder, "lib", "deep");
  const write = (text: string): void => {
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(deep, "name.mjs"), text);
  };
  write("one");
  let reports = 0;
  let reported = deferred();
  const changes = watchFolder(folder, () => {
    reports++;
    reported.resolve();
    return Promise.resolve();
  });
  onTestFinished(() => changes.close());
  const until = async (change: () => void): Promise<void> => {
    reported = deferred();
    change();
    await reported.promise;
  };
  await until(() => write("two"));
  await until(() => rmSync(folder, { recursive: true }));
  await until(() => write("three"));
  await until(() => write("four"));
  await until(() => {
    mkdirSync(join(folder, "new", "er"), { recursive: true });
    writeFileSync(join(folder, "new", "er", "tool.ts"), "");
  });
  await until(() => writeFileSync(join(folder, "new", "er", "tool.ts"), "1"));
  const before = reports;
  writeFileSync(join(folder, "data.json"), "{}");
  mkdirSync(join(folder, "cache"));
  await until(() => write("five"));
  expect(reports - before).toBeLessThanOrEqual(2);
  expect(() => watchFolder(join(cwd, "nosuch"), () => Promise.resolve())).toThrow("There is no folder");
});

test("a module graph leaves out texts that are no paths", () => {
  const entry = join(temporaryFolder(), "server.mjs");
  writeFileSync(entry, `throw new Error('data from "./${"x".repeat(300)}"');`);
  expect([...moduleGraphOf(entry).files]).toContain(entry);
});
