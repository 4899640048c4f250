/** The errors of a chain of causes, the outermost first. */
export function causesOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  let next: unknown = error;
  while (next !== undefined && next !== null && chain.length < 16 && !chain.includes(next)) {
    chain.push(next);
    next = next instanceof Error ? (suppressedBy(next) ?? next.cause) : undefined;
  }
  return chain;
}

/** The error of a command, if closing what the command used then failed too. */
function suppressedBy(error: Error): unknown {
  return "suppressed" in error ? error.suppressed : undefined;
}
