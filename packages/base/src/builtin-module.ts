interface Runtime {
  readonly process: { getBuiltinModule(name: string): unknown };
}

/**
 * A module of Node, such as `node:crypto`. Not imported: bundlers for browsers fail on modules of
 * Node.
 *
 * @returns `undefined` where the runtime does not have it.
 */
export function builtinModule(name: string): unknown {
  try {
    // oxlint-disable-next-line no-restricted-properties -- what throws is caught here
    return (globalThis as unknown as Runtime).process.getBuiltinModule(name);
  } catch {
    // A browser has no process. The edge runtime of Next.js has one whose functions throw.
  }
  return undefined;
}
