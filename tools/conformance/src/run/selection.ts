/** The scenarios of servers in one run of the suite. */
export interface Selection {
  /** The arguments of the suite for all of them. */
  readonly all: readonly string[];
  /** The arguments for one of them, under the conditions of the whole run. */
  one(scenario: string): readonly string[];
}

/**
 * The scenarios that a protocol version requires. The suite rejects `--requirements` with
 * `--scenario`. With `--requirements` it runs each scenario as with `--force`: otherwise it skips
 * those that are not on the timeline of the specification, such as extensions.
 */
export function requiredOf(revision: string): Selection {
  return {
    all: ["--requirements", revision],
    one: (scenario) => ["--scenario", scenario, "--spec-version", revision, "--force"],
  };
}

/** The scenarios that apply to a protocol version. */
export function applicableTo(revision: string): Selection {
  return {
    all: ["--suite", "all", "--spec-version", revision],
    one: (scenario) => ["--scenario", scenario, "--spec-version", revision],
  };
}

/** A scenario of an extension, at the protocol version that the suite selects for it. */
export function extension(scenario: string): readonly string[] {
  return ["--scenario", scenario];
}
