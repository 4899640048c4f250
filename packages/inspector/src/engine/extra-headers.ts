/** The maximum number of headers, and of characters of a value. */
const maxHeaders = 50;
const maxLength = 8192;

/** Headers that belong to the transport, to HTTP or to the login. */
const reserved =
  /^(?:accept|connection|content-(?:length|type)|cookie|host|last-event-id|mcp-.*|origin|te|trailer|transfer-encoding|upgrade)$/;

const token = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
// oxlint-disable-next-line no-control-regex -- the control characters that no header may have
const forbidden = /[^\t\x20-\x7E\x80-\xFF]/;

/** Headers that the person adds to the requests to one server. */
export interface ExtraHeaders {
  readonly all: Readonly<Record<string, string>>;
  /** @throws `TypeError` for headers that cannot be sent. */
  set(headers: Readonly<Record<string, unknown>>): void;
  /** A `fetch` that adds them to requests for the address, and to no others. */
  added(inner: typeof fetch): typeof fetch;
}

/**
 * Creates an empty table.
 *
 * @param url - The address of the server. Requests of a login get no headers.
 */
export function createExtraHeaders(url: string | undefined): ExtraHeaders {
  let all: Readonly<Record<string, string>> = {};
  return {
    get all() {
      return all;
    },
    set(headers) {
      const entries = Object.entries(headers);
      if (entries.length > maxHeaders) {
        throw new TypeError(`Expected at most ${maxHeaders} headers; got ${entries.length}.`);
      }
      all = Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), checked(name, value)]));
    },
    added: (inner) => (input, init) => {
      const target = input instanceof Request ? input.url : input.toString();
      if (url === undefined || target !== new URL(url).href || Object.keys(all).length === 0) {
        return inner(input, init);
      }
      const merged = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
      for (const [name, value] of Object.entries(all)) {
        merged.set(name, value);
      }
      return inner(input, { ...init, headers: merged });
    },
  };
}

function checked(name: string, value: unknown): string {
  const lower = name.toLowerCase();
  if (!token.test(lower)) {
    throw new TypeError(`Expected the name of a header, such as x-tenant; got ${JSON.stringify(name)}.`);
  }
  if (reserved.test(lower)) {
    throw new TypeError(`The header ${lower} belongs to the transport. Choose another name.`);
  }
  if (typeof value !== "string" || value.length > maxLength || forbidden.test(value)) {
    throw new TypeError(
      `Expected the value of ${lower} to be one line of at most ${maxLength} characters in Latin-1.`,
    );
  }
  return value.trim();
}
