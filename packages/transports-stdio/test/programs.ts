import { compiledProgram } from "@tenon/test-support/processes";

/** Compiles a program of `fixtures/`. Returns its path. */
export function program(name: "server" | "relay" | "greeter"): Promise<string> {
  return compiledProgram(new URL(`fixtures/${name}.ts`, import.meta.url));
}

/** A child that runs this text, with a helper that writes one message per line. */
export function script(text: string): { command: string; args: string[] } {
  const prelude = `const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
    const lines = (onLine) => { let rest = ""; process.stdin.setEncoding("utf8").on("data", (text) => {
      const all = (rest + text).split("\\n"); rest = all.pop(); for (const line of all) onLine(JSON.parse(line)); }); };\n`;
  return { command: process.execPath, args: ["-e", prelude + text] };
}
