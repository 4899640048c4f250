// Runs the command in its arguments, and sends how much processor time it took, with its children, to the process that started this one.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const [command = "", ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: "inherit", shell: process.platform === "win32" });
child.once("error", (error) => {
  process.stderr.write(`${error.message}\n`);
  end(1);
});
child.once("exit", (code) => end(code ?? 1));

/** @param {number} code */
function end(code) {
  process.exitCode = code;
  process.send?.({ cpuSeconds: ofChildren() }, () => process.connected && process.disconnect());
}

/** The time of the children that have ended, and of theirs; only Linux counts it. */
function ofChildren() {
  if (process.platform !== "linux") {
    return undefined;
  }
  const stat = readFileSync("/proc/self/stat", "utf8");
  // The name of the program, in parentheses, may contain spaces. Linux counts in hundredths of a second.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
