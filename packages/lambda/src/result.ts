import { isUtf8 } from "node:buffer";

/** The response of a function to an event. */
export interface LambdaResult {
  readonly statusCode: number;
  /** Absent for a REST API. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For a REST API, and for an HTTP API with payload 1.0. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
  /** `Set-Cookie`, for function URLs and HTTP APIs with payload 2.0. */
  readonly cookies?: readonly string[];
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** Status and headers of a response, in the form that the event's source expects. */
export function headOf(
  { status, headers }: Response,
  isV1: boolean,
): Omit<LambdaResult, "body" | "isBase64Encoded"> {
  const cookies = headers.getSetCookie();
  const others = [...headers].filter(([name]) => name !== "set-cookie");
  if (isV1) {
    const lists = others.map(([name, value]) => [name, [value]] as const);
    const all = cookies.length === 0 ? lists : [...lists, ["set-cookie", cookies] as const];
    return { statusCode: status, multiValueHeaders: Object.fromEntries(all) };
  }
  return {
    statusCode: status,
    headers: Object.fromEntries(others),
    ...(cookies.length === 0 ? {} : { cookies }),
  };
}

/**
 * Returns whether a body can be sent as text. Lambda has only UTF-8 for text; other bytes would not
 * survive, whatever charset they have.
 */
export function isText(headers: Headers, bytes: Uint8Array): boolean {
  if (bytes.length === 0) {
    return true;
  }
  return (
    headers.get("content-encoding") === null &&
    /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|javascript)\b)/i.test(
      headers.get("content-type") ?? "",
    ) &&
    isUtf8(bytes)
  );
}
