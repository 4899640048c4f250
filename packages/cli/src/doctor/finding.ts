/** The result of one check. */
export interface Finding {
  /** The name of the check, such as `handshake`. */
  readonly check: string;
  readonly status: "ok" | "note" | "warning" | "failed";
  /** One sentence. */
  readonly message: string;
  /** Advice for the author or the user of the server. */
  readonly fix?: string | undefined;
}

/** Collects the findings about one target. */
export interface Findings {
  readonly all: readonly Finding[];
  ok(check: string, message: string): void;
  note(check: string, message: string, fix?: string): void;
  warn(check: string, message: string, fix: string): void;
  fail(check: string, message: string, fix: string): void;
}

/** Collects findings. @param onFinding - Called with each of them. */
export function createFindings(onFinding: (finding: Finding) => void = () => {}): Findings {
  const all: Finding[] = [];
  const add = (finding: Finding): void => {
    all.push(finding);
    onFinding(finding);
  };
  return {
    all,
    ok: (check, message) => add({ check, status: "ok", message }),
    note: (check, message, fix) =>
      add({ check, status: "note", message, ...(fix === undefined ? {} : { fix }) }),
    warn: (check, message, fix) => add({ check, status: "warning", message, fix }),
    fail: (check, message, fix) => add({ check, status: "failed", message, fix }),
  };
}
