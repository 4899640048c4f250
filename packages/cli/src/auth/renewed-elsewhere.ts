import { spawn } from "node:child_process";

import type { AuthStore } from "@tenon/auth/client";

import type { Invocation } from "../command/invocation.ts";

/**
 * A store of logins for a command that must end soon. The response to a renewal may be the only
 * copy of the next tokens, so the process that requests it has to wait for it. This store starts
 * another process for that. The command uses the new tokens if they are stored in time.
 */
export function renewedElsewhere(store: AuthStore, invocation: Invocation, profile: string): AuthStore {
  const { shell, flags } = invocation;
  const proxy = flags.text("proxy");
  // As the user has typed it: other users can read the arguments of a program.
  const target = invocation.operand("target") ?? "";
  const options = flags.has("no-proxy") ? ["--no-proxy"] : proxy === undefined ? [] : ["--proxy", proxy];
  const words = ["auth", "status", target, "--profile", profile, ...options];
  return {
    ...store,
    // Only renewals ask for the lock. Without it they wait for the tokens of another process.
    lock(_, signal) {
      const [command, ...args] = shell.self;
      const child = spawn(command, [...args, ...words], {
        detached: true,
        stdio: "ignore",
        env: shell.env,
        cwd: shell.cwd,
      });
      child.on("error", () => {});
      child.unref();
      return new Promise((__, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      });
    },
  };
}
