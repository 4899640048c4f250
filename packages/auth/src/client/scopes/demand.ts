import type { Challenge } from "../../shared/challenge.ts";
import { warn, type Setting } from "../setting.ts";
import { firstFitting, readScopes, union } from "./scopes.ts";

/** What all challenges of the MCP server so far have demanded. */
export interface Demand {
  /** The address of the resource metadata. */
  readonly named?: string | undefined;
  /** The scopes of the last challenge for want of a token. */
  readonly challenged?: readonly string[] | undefined;
  /** The scopes that operations have turned out to require. */
  readonly required: readonly string[];
  readonly acrValues?: string | undefined;
  readonly maxAge?: string | undefined;
}

/** Decides what has been demanded. Nobody else changes the demand. */
export interface Demands {
  readonly current: Demand;
  /**
   * Adds a challenge. Values that are empty, malformed or too long are ignored.
   *
   * @param isStepUp - Whether it was sent because an operation requires further scopes or a
   *   stronger login.
   * @returns The scopes that the operation requires; none for other challenges.
   */
  add(challenge: Challenge, isStepUp: boolean): readonly string[];
  /**
   * Adds scopes that an operation requires. If all required scopes together exceed the limits of
   * {@link firstFitting}, only `scopes` are kept; if these exceed them too, none are kept.
   */
  require(scopes: readonly string[]): void;
  /** Clears the demanded strength and age of the login. Call it after such a login. */
  authenticated(): void;
  clear(): void;
}

/** Maximum length of a parameter that is passed on to the authorization server. */
const maxValue = 1024;
const maxUrl = 2048;

/**
 * Chooses the challenge that the client can meet.
 *
 * @param canProve - Whether the client can prove possession of a key.
 */
export function chooseChallenge(
  setting: Setting,
  challenges: readonly Challenge[],
  canProve: boolean,
): Challenge | undefined {
  const chosen = challenges.find(({ scheme }) => scheme === "bearer" || (canProve && scheme === "dpop"));
  const [repeated] = chosen?.repeated ?? [];
  if (repeated !== undefined) {
    warn(setting, `The challenge repeats the parameter ${repeated}; its last value is used.`);
  }
  return chosen;
}

/** Creates {@link Demands}. */
export function createDemands(setting: Setting): Demands {
  const nothing: Demand = { required: [] };
  let current = nothing;
  return {
    get current() {
      return current;
    },
    add({ parameters }, isStepUp) {
      const named = parameters.get("resource_metadata") ?? "";
      const text = parameters.get("scope") ?? "";
      const scopes = readScopes(text)?.filter((scope) => scope !== "offline_access");
      if (text !== "" && scopes === undefined) {
        warn(setting, "The challenge has a malformed or too long list of scopes, which is ignored.");
      }
      const short = (name: string): string | undefined => {
        const value = parameters.get(name);
        return value !== undefined && value.length <= maxValue ? value : undefined;
      };
      current = {
        ...current,
        ...(named !== "" && named.length <= maxUrl && { named }),
        ...(parameters.get("error") === "insufficient_user_authentication" && {
          acrValues: short("acr_values"),
          maxAge: short("max_age"),
        }),
        ...(!isStepUp && scopes !== undefined && { challenged: scopes }),
      };
      return (isStepUp && scopes) || [];
    },
    require(scopes) {
      current = { ...current, required: firstFitting(union(current.required, scopes), scopes) };
    },
    authenticated() {
      current = { ...current, acrValues: undefined, maxAge: undefined };
    },
    clear() {
      current = nothing;
    },
  };
}
