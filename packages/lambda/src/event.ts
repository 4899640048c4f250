import { isRecord } from "@tenon/base";

/** The properties that are read of an event of a REST API, or of an HTTP API (payload 1.0). */
export interface LambdaEventV1 {
  readonly httpMethod: string;
  /** Without the stage. */
  readonly path: string;
  readonly headers?: LambdaFields;
  readonly multiValueHeaders?: LambdaLists;
  /** Decoded. */
  readonly queryStringParameters?: LambdaFields;
  /** Decoded. */
  readonly multiValueQueryStringParameters?: LambdaLists;
  readonly requestContext: {
    readonly domainName?: string | undefined;
    readonly identity?: { readonly sourceIp?: string | undefined } | undefined;
  };
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}

/** The properties that are read of an event of a function URL, or of an HTTP API (payload 2.0). */
export interface LambdaEventV2 {
  readonly rawPath: string;
  readonly rawQueryString?: string | undefined;
  readonly headers?: LambdaFields;
  readonly cookies?: readonly string[] | undefined;
  readonly requestContext: {
    readonly domainName?: string | undefined;
    readonly http: { readonly method: string; readonly sourceIp?: string | undefined };
  };
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}

/** An event for which a function is invoked. */
export type LambdaEvent = LambdaEventV1 | LambdaEventV2;

/** Values by name. */
type LambdaFields = Readonly<Record<string, string | undefined>> | null | undefined;

/** Several values by name. */
type LambdaLists = Readonly<Record<string, readonly string[] | undefined>> | null | undefined;

/** The HTTP request of an event. */
interface EventRequest {
  readonly request: Request;
  /** The address of the client, as API Gateway or the function URL saw it. */
  readonly address: string | undefined;
  readonly isV1: boolean;
}

/**
 * Makes the request that an event describes.
 *
 * @throws `TypeError` for an event of another kind, and for headers that HTTP does not allow.
 */
export function requestOf(event: LambdaEvent, signal: AbortSignal): EventRequest {
  if (isRecord(event) && isV2(event)) {
    const { method, sourceIp } = event.requestContext.http;
    const headers = headersOf(event.headers);
    if (event.cookies !== undefined && event.cookies.length > 0) {
      headers.set("cookie", event.cookies.join("; "));
    }
    const query = event.rawQueryString ?? "";
    const url = urlOf(event, headers, event.rawPath, query);
    return { request: made(event, url, method, headers, signal), address: sourceIp, isV1: false };
  }
  if (isRecord(event) && isRecord(event.requestContext) && "elb" in event.requestContext) {
    // It looks like an event of a REST API, but a balancer ignores `multiValueHeaders` by default.
    throw new TypeError(
      "The event must come from a function URL, or from an HTTP or REST API of API Gateway; it comes from an Application Load Balancer. Put one of these in front of the function instead.",
    );
  }
  if (!isRecord(event) || !isV1(event)) {
    throw new TypeError(
      "The event must come from a function URL, or from an HTTP or REST API of API Gateway; it has neither requestContext.http nor httpMethod.",
    );
  }
  const headers = headersOf(event.headers);
  for (const [name, values = []] of Object.entries(event.multiValueHeaders ?? {})) {
    headers.delete(name);
    values.forEach((value) => headers.append(name, value));
  }
  const lists = event.multiValueQueryStringParameters ?? listsOf(event.queryStringParameters);
  const query = new URLSearchParams(
    Object.entries(lists).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    ),
  );
  const url = urlOf(event, headers, event.path, query.toString());
  const address = event.requestContext.identity?.sourceIp;
  return { request: made(event, url, event.httpMethod, headers, signal), address, isV1: true };
}

function isV2(event: Partial<LambdaEvent>): event is LambdaEventV2 {
  const { http } = (event.requestContext ?? {}) as Partial<LambdaEventV2["requestContext"]>;
  return typeof http?.method === "string" && typeof (event as Partial<LambdaEventV2>).rawPath === "string";
}

function isV1(event: Partial<LambdaEvent>): event is LambdaEventV1 {
  const { httpMethod, path, requestContext } = event as Partial<LambdaEventV1>;
  return typeof httpMethod === "string" && typeof path === "string" && requestContext !== undefined;
}

function headersOf(fields: LambdaFields): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (value !== undefined) {
      headers.set(name, value);
    }
  }
  return headers;
}

function listsOf(fields: LambdaFields): NonNullable<LambdaLists> {
  return Object.fromEntries(
    Object.entries(fields ?? {}).map(([name, value]) => [name, value === undefined ? [] : [value]]),
  );
}

function urlOf(
  { requestContext }: { readonly requestContext: { readonly domainName?: string | undefined } },
  headers: Headers,
  path: string,
  query: string,
): string {
  const host = requestContext.domainName ?? headers.get("host") ?? "localhost";
  // Paths arrive decoded: these characters would begin a query or a fragment, or disappear.
  const escaped = path.replace(/[?#\\\t\n\r]/g, encodeURIComponent);
  const slash = path.startsWith("/") ? "" : "/";
  return `https://${host}${slash}${escaped}${query === "" ? "" : `?${query}`}`;
}

function made(
  { body, isBase64Encoded }: LambdaEvent,
  url: string,
  method: string,
  headers: Headers,
  signal: AbortSignal,
): Request {
  const bytes =
    body === undefined || body === null || /^(?:GET|HEAD)$/i.test(method)
      ? null
      : Buffer.from(body, isBase64Encoded === true ? "base64" : "utf8");
  return new Request(url, { method, headers, body: bytes, signal });
}
