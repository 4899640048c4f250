import type { Challenge } from "../shared/challenge.ts";
import { firstFitting, readScopes, union } from "./scopes.ts";
import { warn, type Setting } from "./setting.ts";

/** The demands in all challenges of the MCP server so far. */
export interface Demand {
  /** The address of the resource metadata. */
  named: string | undefined;
  /** The scopes of the last challenge for want of a token. */
  challenged: readonly string[] | undefined;
  /** The scopes that operations have turned out to require. */
  required: readonly string[];
  acrValues: string | undefined;
  maxAge: string | undefined;
}

/** Maximum length of a parameter that is passed on to the authorization server. */
const maxValue = 1024;
const maxUrl = 2048;
/** Nothing has been demanded. */
export function noDemand(): Demand {
  return { named: undefined, challenged: undefined, required: [], acrValues: undefined, maxAge: undefined };
}

/**
 * Chooses the challenge that the client can meet. @param canProve - Whether it can prove the
 * possession of a key.
 */
export function chooseChallenge(
  setting: Setting,
  challenges: readonly Challenge[],
  canProve: boolean,
): Challenge | undefined {
  const chosen = challenges.find(({ scheme }) => scheme === "bearer" || (canProve && scheme === "dpop"));
  if (chosen !== undefined && chosen.repeated.length > 0) {
    warn(setting, `The challenge repeats the parameter ${chosen.repeated[0]}; its last value is used.`);
  }
  return chosen;
}

/**
 * Adds a challenge to a demand. Values that are empty, malformed or too long are ignored.
 * @returns The scopes of the challenge.
 */
export function addChallenge(
  setting: Setting,
  demand: Demand,
  { parameters }: Challenge,
): readonly string[] | undefined {
  const named = parameters.get("resource_metadata");
  if (named !== undefined && named !== "" && named.length <= maxUrl) {
    demand.named = named;
  }
  const text = parameters.get("scope") ?? "";
  const scopes = readScopes(text)?.filter((scope) => scope !== "offline_access");
  if (text !== "" && scopes === undefined) {
    warn(setting, "The challenge has a malformed or too long list of scopes, which is ignored.");
  }
  const short = (name: string): string | undefined => {
    const value = parameters.get(name);
    return value === undefined || value === "" || value.length > maxValue ? undefined : value;
  };
  if (parameters.get("error") === "insufficient_user_authentication") {
    demand.acrValues = short("acr_values");
    demand.maxAge = short("max_age");
  }
  return scopes;
}

/**
 * Adds scopes that an operation requires. Beyond the limits of {@link firstFitting} only the last
 * challenge counts, if it is within them.
 */
export function addRequired(demand: Demand, scopes: readonly string[]): void {
  demand.required = firstFitting(union(demand.required, scopes), scopes);
}
