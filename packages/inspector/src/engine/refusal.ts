import { reasonOf } from "@tenon/base";
import { isHttpError } from "@tenon/http/client";

const maxCauses = 16;
const maxScopes = 20;

/** The errors of a chain of causes, the outermost first. */
function causesOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let next = error; next !== undefined && next !== null && chain.length < maxCauses;) {
    chain.push(next);
    next = next instanceof Error ? next.cause : undefined;
  }
  return chain;
}

/**
 * The rights that a server requires, if it refuses a request because of who sends it; `undefined`
 * for any other error. Errors of logins are compared by name, because their package is optional.
 */
export function requiredScopes(error: unknown): readonly string[] | undefined {
  for (const each of causesOf(error)) {
    const { code, required } = each as { readonly code?: unknown; readonly required?: unknown };
    if (code === "NEEDS_USER" || code === "SCOPE_DENIED") {
      const scopes = Array.isArray(required) ? (required as readonly unknown[]) : [];
      return scopes.filter((scope) => typeof scope === "string").slice(0, maxScopes);
    }
    if (isHttpError(each) && (each.status === 401 || each.status === 403)) {
      return [];
    }
  }
  return undefined;
}

/** The reason of an error for the person, without advice for programmers. */
export function reasonFor(error: unknown): string {
  return textFor(reasonOf(error));
}

/** A message of an error for the person. */
export function textFor(message: string): string {
  return message
    .replaceAll(/ ?(?:Call|or call) login\(\)[^.]*\./g, "")
    .replaceAll(
      / Before, server\/discover failed: The call of "server\/discover" timed out[^.]*\.[^.]*\./g,
      "",
    )
    .replaceAll(/no response for (\d+)000 ms \(timeoutMs\)\. Increase it[^.]*\./g, "no response for $1 s.")
    .trim();
}
