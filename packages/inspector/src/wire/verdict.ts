/** The result of a rule for a server. */
export interface Verdict {
  /** The rule, in a few words. */
  readonly rule: string;
  /** `note`: true for this server, and not wrong. */
  readonly verdict: "ok" | "problem" | "note";
  /** A sentence about what was found, and what to do. */
  readonly found: string;
}

/** The rules of CORS for a page of an origin, with their results. */
export interface CorsReport {
  readonly url: string;
  /** The origin of the page. */
  readonly origin: string;
  /** Whether a client on a page of the origin can work. */
  readonly works: boolean;
  readonly verdicts: readonly Verdict[];
}

/** A file of a skill, compared with the entry of the skill. */
export interface SkillFileReport {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  /** Absent for a file that is not the described one: nothing may use it. */
  readonly text?: string | undefined;
  readonly bytes?: number | undefined;
  /** The digest that the entry lists; absent for a dynamic skill. */
  readonly digest?: string | undefined;
  readonly verdict: Verdict;
}

/** The skills of a server, as their entries describe them. */
export interface SkillList {
  readonly skills: readonly object[];
  /** Sentences about entries that are left out. */
  readonly problems: readonly string[];
}

/** A view of a tool, as a host loads it. Its metadata has been checked. */
export interface ViewReport {
  readonly uri: string;
  readonly html: string;
  readonly csp: Readonly<Record<string, readonly string[]>>;
  /** The content security policy that the view gets. */
  readonly policy: string;
  readonly requestedPermissions: readonly string[];
  readonly prefersBorder?: boolean | undefined;
}
