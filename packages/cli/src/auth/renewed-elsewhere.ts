import { spawn } from "node:child_process";

import type { AuthStore } from "@tenon/auth/client";
import { anySignal } from "@tenon/base";

import type { Invocation } from "../command/invocation.ts";

/** Maximum wait for a lock that another process may have, in milliseconds. */
const freeMs = 1000;

/**
 * A store of logins for a command that must end soon. The response to a renewal may be the only
 * copy of the next tokens, so the process that requests it has to wait for it. This store starts
 * another process for that, unless one is renewing already: a user may press the key many times.
 * The command uses the new tokens if they are stored in time.
 */
export function renewedElsewhere(store: AuthStore, invocation: Invocation, profile: string): AuthStore {
  const isFree = async (key: string, signal: AbortSignal): Promise<boolean> => {
    try {
      const held = await store.lock?.(key, anySignal([signal, AbortSignal.timeout(freeMs)]));
      await held?.[Symbol.asyncDispose]();
      return true;
    } catch {
      return false;
    }
  };
  return {
    ...store,
    // Only renewals ask for the lock. Without it they wait for the tokens of another process.
    async lock(key, signal) {
      if ((await isFree(key, signal)) && !signal.aborted) {
        startRenewal(invocation, profile);
      }
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      });
    },
  };
}

function startRenewal({ shell, flags, operand }: Invocation, profile: string): void {
  const valued = ["config", "proxy"].flatMap((name) => {
    const value = flags.text(name);
    return value === undefined ? [] : [`--${name}=${value}`];
  });
  const options = flags.has("no-proxy") ? [...valued, "--no-proxy"] : valued;
  const [command, ...args] = shell.self;
  // As the user has typed it: other users can read the arguments of a program.
  const words = ["auth", "status", operand("target") ?? "", `--profile=${profile}`, ...options];
  const child = spawn(command, [...args, ...words], {
    detached: true,
    stdio: "ignore",
    env: shell.env,
    cwd: shell.cwd,
    windowsHide: true,
  });
  child.on("error", () => {});
  child.unref();
}
