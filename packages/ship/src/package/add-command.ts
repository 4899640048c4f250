import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const commands: readonly (readonly [lock: string, command: string])[] = [
  ["pnpm-lock.yaml", "pnpm add --save-dev"],
  ["yarn.lock", "yarn add --dev"],
  ["bun.lock", "bun add --dev"],
  ["bun.lockb", "bun add --dev"],
  ["npm-shrinkwrap.json", "npm install --save-dev"],
  ["package-lock.json", "npm install --save-dev"],
];

/**
 * The command that adds a dependency for development, by the lock file of the package or of the
 * workspace around it. Without a lock file, the command of npm.
 */
export function addCommand(folder: string): string {
  for (let current = resolve(folder); ; current = dirname(current)) {
    const found = commands.find(([lock]) => existsSync(join(current, lock)));
    if (found !== undefined) {
      return found[1];
    }
    if (current === dirname(current)) {
      return "npm install --save-dev";
    }
  }
}
