// Installs the programs of others that log in through the broker, into a folder that TENON_PEERS then names:
// `node tools/interop/test/broker/install.mjs FOLDER`. It needs python3, go, npm and the network. What cannot be
// installed is missing there, and its tests are skipped.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const folder = resolve(process.argv[2] ?? "");
const run = (program, args, cwd = folder) => execFileSync(program, args, { cwd, stdio: "inherit" });

const peers = {
  "python-1": () => {
    run("python3", ["-m", "venv", "python-1"]);
    run("python-1/bin/pip", ["install", "-q", "mcp==1.30.0"]);
  },
  "python-2": () => {
    run("python3", ["-m", "venv", "python-2"]);
    run("python-2/bin/pip", ["install", "-q", "mcp==2.3.0"]);
  },
  go() {
    const go = join(folder, "go");
    mkdirSync(go, { recursive: true });
    copyFileSync(fileURLToPath(new URL("client.go", import.meta.url)), join(go, "main.go"));
    writeFileSync(join(go, "go.mod"), "module client\n\ngo 1.25\n");
    run("go", ["get", "github.com/modelcontextprotocol/go-sdk@v1.8.0"], go);
    run("go", ["mod", "tidy"], go);
    run("go", ["build", "-o", "client", "."], go);
  },
  "mcp-remote": () => {
    run("npm", ["install", "--prefix", join(folder, "mcp-remote"), "--ignore-scripts", "mcp-remote@0.15.1"]);
  },
};

mkdirSync(folder, { recursive: true });
for (const [name, install] of Object.entries(peers)) {
  try {
    install();
  } catch (error) {
    process.exitCode = 1;
    console.error(`${name} was not installed: ${error.message}`);
  }
}
