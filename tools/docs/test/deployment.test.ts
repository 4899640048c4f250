import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { createHealth } from "@tenon/operations";
import { modernRevision as latest } from "@tenon/test-support";
import { compiledProgram } from "@tenon/test-support/processes";
import { startProxy } from "@tenon/test-support/proxy";
import { hasRedis, startRedis } from "@tenon/test-support/redis";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";

const page = readFileSync(join(import.meta.dirname, "../../../docs/deployment.md"), "utf8");
const program = fileURLToPath(new URL("guide/deployed.ts", import.meta.url));
const source = readFileSync(program, "utf8");

/** The file of a section of the page. */
function fileOf(section: string, language: string): string {
  const [, text] = new RegExp(`### ${section}\\n[^]*?\`\`\`${language}\\n([^]*?)\`\`\``).exec(page) ?? [];
  return text ?? expect.fail(`${section} must have a file.`);
}

interface Variable {
  readonly name: string;
  readonly value: string;
}
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: number };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}
interface Container {
  readonly ports: readonly { readonly containerPort: number }[];
  readonly env: readonly Variable[];
  readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
}
interface Deployment {
  readonly spec: {
    readonly selector: { readonly matchLabels: object };
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly [Container];
      };
    };
  };
}
interface Service {
  readonly environment: Readonly<Record<string, string>>;
  readonly stop_grace_period: string;
  readonly healthcheck: { readonly test: readonly string[] };
}
interface Compose {
  readonly services: {
    readonly redis: object;
    readonly mcp: Service;
    readonly proxy: { readonly volumes: readonly string[]; readonly ports: readonly string[] };
  };
}

const { spec } = parse(fileOf("Kubernetes", "yaml")) as Deployment;
const [container] = spec.template.spec.containers;
const { mcp, proxy } = (parse(fileOf("Compose", "yaml")) as Compose).services;
const kubernetesEnv = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
const environments = [kubernetesEnv, mcp.environment];
const port = "3000";

/** A number of the options of `drain`, in seconds. */
function secondsOf(option: string): number {
  const [, digits = ""] = new RegExp(`${option}: ([\\d_]+)`).exec(source) ?? [];
  return Number(digits.replaceAll("_", "")) / 1_000;
}
const drainSeconds = secondsOf("noticeMs") + secondsOf("drainMs");

test("the probes ask for paths that the operations handler serves, at the port of the container", async () => {
  const health = createHealth();
  const { startupProbe, readinessProbe, livenessProbe } = container;
  const [live, ready] = health.paths;
  expect([startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet)).toEqual([
    { path: ready, port: Number(port) },
    { path: ready, port: Number(port) },
    { path: live, port: Number(port) },
  ]);
  for (const { httpGet } of [startupProbe, readinessProbe, livenessProbe]) {
    const response = await health.fetch(new Request(`http://127.0.0.1${httpGet.path}`));
    expect(response?.status).toBe(200);
  }
  expect(container.ports).toEqual([{ containerPort: Number(port) }]);
  expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
});

test("the files give the process the time that it takes to end, and the balancer the time to notice", () => {
  const [, pause = ""] = container.lifecycle.preStop.exec.command;
  expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(Number(pause) + drainSeconds);
  expect(Number.parseInt(mcp.stop_grace_period, 10)).toBeGreaterThan(drainSeconds);
  const { periodSeconds, failureThreshold } = container.readinessProbe;
  expect(secondsOf("noticeMs")).toBeGreaterThanOrEqual(periodSeconds * failureThreshold);
});

test("the files set exactly the variables that the server reads", () => {
  const names = [...source.matchAll(/([A-Z_]+): \w+ = "/g)].map(([, name = ""]) => name);
  for (const environment of environments) {
    expect(new Set(Object.keys(environment))).toEqual(new Set(names));
    expect(environment["PORT"]).toBe(port);
  }
});

test("the proxy passes requests on to the port of the service, without a buffer", () => {
  const nginx = fileOf("A proxy", "nginx");
  expect(nginx).toContain(`proxy_pass http://mcp:${port};`);
  expect(nginx).toContain("proxy_buffering off;");
  const [, listened] = /listen (\d+);/.exec(nginx) ?? [];
  expect(proxy.ports).toEqual([`${port}:${listened}`]);
  expect(proxy.volumes[0]).toMatch(/^\.\/nginx\.conf:\/etc\/nginx\/conf\.d\//);
});

/** Sends a request of 2026-07-28, which needs no session. */
function discover(url: URL): Promise<Response> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": latest,
    "io.modelcontextprotocol/clientInfo": { name: "probe", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": latest,
      "mcp-method": "server/discover",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta } }),
  });
}

test.skipIf(!hasRedis)(
  "the server starts with the variables of the files, and their probes follow its state (skipped without Redis)",
  async () => {
    const compiled = await compiledProgram(pathToFileURL(program));
    await using redis = await startRedis();
    await using way = await startProxy(redis.target);
    for (const environment of environments) {
      const env = {
        ...process.env,
        ...environment,
        REDIS_URL: `redis://127.0.0.1:${way.port}`,
        HOST: "127.0.0.1",
        ALLOWED_HOSTS: "127.0.0.1",
        PORT: "0",
      };
      const child = spawn(process.execPath, [compiled], { env, stdio: ["ignore", "pipe", "inherit"] });
      onTestFinished(() => void child.kill("SIGKILL"));
      const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
      const url = new URL(line.replace("Serving ", ""));
      const statusOf = async (probe: Probe): Promise<number> =>
        (await fetch(new URL(probe.httpGet.path, url))).status;
      const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];
      expect(await Promise.all(probes.map(statusOf))).toEqual([200, 200, 200]);
      const [kind, command = "", ...rest] = mcp.healthcheck.test;
      expect(kind).toBe("CMD");
      const own = rest.map((part) => part.replace(`127.0.0.1:${port}`, url.host));
      await promisify(execFile)(command, own);
      // Without its stores the process still serves whoever needs no session.
      way.stop();
      const discovered = await discover(url);
      expect(discovered.status).toBe(200);
      expect(await discovered.text()).toContain('"supportedVersions"');
      expect(await statusOf(container.readinessProbe)).toBe(200);
      way.restore();
      child.kill("SIGTERM");
      await expect.poll(() => statusOf(container.readinessProbe)).toBe(503);
      expect(await statusOf(container.livenessProbe)).toBe(200);
      await expect(promisify(execFile)(command, own)).rejects.toThrow();
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  },
);
