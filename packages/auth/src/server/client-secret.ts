/** The credentials of this server at an authorization server. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The headers and the body of a request with HTTP Basic authentication. @source RFC 6749 §2.3.1 */
export function formRequest(
  { clientId, clientSecret }: ClientCredentials,
  fields: Readonly<Record<string, string | undefined>>,
): RequestInit {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) {
      body.append(name, value);
    }
  }
  return {
    method: "POST",
    headers: {
      accept: "application/json",
      authorization: `Basic ${btoa(`${formEncode(clientId)}:${formEncode(clientSecret)}`)}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: body.toString(),
  };
}

/** Checks credentials. @throws `TypeError` */
export function checkCredentials({ clientId, clientSecret }: ClientCredentials, subject: string): void {
  if (typeof clientId !== "string" || clientId === "" || typeof clientSecret !== "string") {
    throw new TypeError(`client of ${subject} must be { clientId, clientSecret }.`);
  }
}

function formEncode(value: string): string {
  return new URLSearchParams({ "": value }).toString().slice(1);
}
