import { isRecord } from "@tenon/base";

import { ShipError } from "../error.ts";
import { forms, type Form, type ProgramEntry, type RemoteEntry } from "./form.ts";
import type { HostName } from "./host-files.ts";

type Properties = Readonly<Record<string, unknown>>;

/** Properties with the address of a server, in any form. */
const addresses = words("type transport transportType command cmd args url uri serverUrl httpUrl");
/** Properties that only programs have, or that remote servers have for their requests. */
const programOrRequest = words("cwd env envs environment envFile env_vars env_keys requestOptions");
/** Properties that give access to one remote server. A token of one must not reach another. */
const access = new RegExp(
  [
    "header|auth|bearer|oidc|token|scope|secret|credential|key|passw|passphrase|cookie|client_?cert",
    "^targetAudience$|^targetServiceAccount$",
  ].join("|"),
  "i",
);

/**
 * The entry of a server in the form of a host. Settings that the user added to an earlier entry are
 * kept, and so are the values of its variables, and the headers for the same URL.
 *
 * @throws `ShipError` `UNSUPPORTED` if the file of the host cannot contain such a server.
 */
export function entryFor(
  host: HostName,
  title: string,
  name: string,
  server: ProgramEntry | RemoteEntry,
  earlier: Properties = {},
): Record<string, unknown> {
  const form = forms[host];
  const made =
    "url" in server
      ? remoteFor(form, title, name, server, earlier)
      : programFor(form, title, name, server, earlier);
  return { ...made, ...without(form.defaults, Object.keys(made)) };
}

function programFor(
  form: Form,
  title: string,
  name: string,
  server: ProgramEntry,
  earlier: Properties,
): Record<string, unknown> {
  const { variables = [], env = {} } = server;
  const { envKey, variablesKey, reference } = form;
  const [first] = variables;
  if (first !== undefined && reference === undefined && variablesKey === undefined) {
    throw new ShipError("UNSUPPORTED", `${title} cannot take the value of ${first} from its environment.`, {
      hint: `write the value into its file: --env ${first}=value`,
    });
  }
  const kept = urlOf(earlier) === undefined ? without(earlier, addresses) : settingsOf(earlier);
  const earlierEnv = kept[envKey];
  const earlierNames = variablesKey === undefined ? undefined : kept[variablesKey];
  // A variable has either a value or a reference, so that no old value stays in the file.
  const names = [
    ...(Array.isArray(earlierNames) ? (earlierNames as unknown[]) : []),
    ...(variablesKey === undefined ? [] : variables),
  ].filter(
    (each, index, all) =>
      !Object.hasOwn(env, nameOf(each)) && all.findIndex((other) => nameOf(other) === nameOf(each)) === index,
  );
  const references = Object.fromEntries(
    reference === undefined ? [] : variables.map((each) => [each, reference(each)]),
  );
  const made = form.program(
    {
      ...server,
      env: {
        ...(isRecord(earlierEnv) ? (without(earlierEnv, variables) as Record<string, string>) : {}),
        ...references,
        ...env,
      },
      variables: names as string[],
    },
    name,
  );
  const replaced = [envKey, ...(variablesKey === undefined ? [] : [variablesKey]), ...Object.keys(made)];
  return { ...without(kept, replaced), ...made };
}

function remoteFor(
  form: Form,
  title: string,
  name: string,
  { url, headers = {} }: RemoteEntry,
  earlier: Properties,
): Record<string, unknown> {
  if (form.remote === undefined) {
    throw new ShipError("UNSUPPORTED", `The configuration file of ${title} contains programs only.`, {
      hint: `add the URL in the settings of ${title}`,
    });
  }
  const earlierUrl = urlOf(earlier);
  const isSame = earlierUrl !== undefined && hrefOf(earlierUrl) === hrefOf(url);
  const [outer = "", inner] = form.headersPath;
  const options = earlier[outer];
  const earlierHeaders = inner === undefined || !isRecord(options) ? options : options[inner];
  const kept = isSame
    ? withoutReferences(without(earlier, addresses), Object.keys(headers))
    : earlierUrl === undefined
      ? settingsOf(earlier)
      : withoutAccess(
          without(earlier, [...addresses, ...Object.keys(earlier).filter((key) => /^env/i.test(key))]),
        );
  const made = form.remote(
    {
      url,
      headers: {
        ...(isSame && isRecord(earlierHeaders) ? withoutHeaders(earlierHeaders, Object.keys(headers)) : {}),
        ...headers,
      },
    },
    name,
  );
  const rest = without(kept, [outer, ...Object.keys(made)]);
  if (inner === undefined) {
    return { ...rest, ...made };
  }
  // Other options of requests, such as certificates, are settings of the user.
  const merged = {
    ...(isRecord(kept[outer]) ? without(kept[outer], [inner]) : {}),
    ...(made[outer] as Properties | undefined),
  };
  return { ...rest, ...made, ...(Object.keys(merged).length === 0 ? {} : { [outer]: merged }) };
}

/** The settings of the user that apply to programs and to remote servers. */
function settingsOf(earlier: Properties): Record<string, unknown> {
  return withoutAccess(without(earlier, [...addresses, ...programOrRequest]));
}

/** Properties without those that give access, at any depth. */
function withoutAccess(properties: Properties): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([key, value]) => {
      const kept = access.test(key) ? undefined : valueWithoutAccess(value);
      return kept === undefined ? [] : [[key, kept]];
    }),
  );
}

/** @returns `undefined` for an object of which nothing is left. */
function valueWithoutAccess(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((each) => valueWithoutAccess(each) ?? {});
  }
  if (!isRecord(value) || value instanceof Date) {
    return value;
  }
  const kept = withoutAccess(value);
  return Object.keys(kept).length === 0 && Object.keys(value).length > 0 ? undefined : kept;
}

/** Codex has headers whose values are variables. A header is set once. */
function withoutReferences(entry: Properties, set: readonly string[]): Record<string, unknown> {
  const { env_http_headers: fromVariables, ...rest } = entry;
  const left = isRecord(fromVariables) ? withoutHeaders(fromVariables, set) : {};
  const isAuthorized = set.some((name) => name.toLowerCase() === "authorization");
  return {
    ...without(rest, isAuthorized ? ["bearer_token_env_var"] : []),
    ...(Object.keys(left).length === 0 ? {} : { env_http_headers: left }),
  };
}

/** Names of headers are not case-sensitive. */
function withoutHeaders(headers: Properties, names: readonly string[]): Record<string, string> {
  const lower = new Set(names.map((name) => name.toLowerCase()));
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !lower.has(name.toLowerCase())),
  ) as Record<string, string>;
}

function words(text: string): readonly string[] {
  return text.split(" ");
}

function without(properties: Properties, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).filter(([key]) => !keys.includes(key)));
}

/** The name of a variable, which Codex also accepts in an object. */
function nameOf(variable: unknown): string {
  return String(isRecord(variable) ? variable["name"] : variable);
}

function urlOf(entry: Properties): unknown {
  return entry["url"] ?? entry["uri"] ?? entry["serverUrl"] ?? entry["httpUrl"];
}

function hrefOf(url: unknown): unknown {
  return typeof url === "string" && URL.canParse(url) ? new URL(url).href : url;
}
