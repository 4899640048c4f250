import { isRecord } from "@tenon/base";

/** A revocation of a principal, as the record of all revocations lists it. */
export interface Revocation {
  readonly id: string;
  readonly principal: string;
  /** Milliseconds since 1970, by the clock of the process that revoked. */
  readonly at: number;
}

/** Maximum number of revocations that are listed. The oldest are forgotten first. */
export const maxRevocations = 1000;

/** Reads a list of revocations. Entries that are not valid are left out. */
export function readRevocations(text: string): readonly Revocation[] {
  const listed: unknown = JSON.parse(text);
  return Array.isArray(listed) ? listed.filter((entry) => isRevocation(entry)) : [];
}

function isRevocation(value: unknown): value is Revocation {
  return (
    isRecord(value) &&
    typeof value["id"] === "string" &&
    typeof value["principal"] === "string" &&
    typeof value["at"] === "number"
  );
}
