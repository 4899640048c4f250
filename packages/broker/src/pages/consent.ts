import { escaped, told, type Html } from "./html.ts";

/** The facts of a page on which a user decides. Texts are not escaped. */
export interface ConsentPage {
  /** The name of the server. */
  readonly server: string;
  /** The name that the client gives itself, which is unchecked. */
  readonly clientName: string;
  /** The host of the client's metadata document: this was checked. */
  readonly clientHost: string | undefined;
  /** The destination of the access: a host, or the scheme of an app. */
  readonly redirectHost: string;
  /** Whether a program on the user's computer gets the access. */
  readonly isLocal: boolean;
  /** The code of a device that gets the access: the user has to compare it with the device. */
  readonly userCode: string | undefined;
  /** The requested scopes with their descriptions. */
  readonly scopes: readonly { readonly name: string; readonly description: string }[];
  /** The account that is logged in; `undefined` before the login. */
  readonly account: { readonly subject: string; readonly label: string } | undefined;
  /** When the user last allowed the same to this client. */
  readonly allowedAt: number | undefined;
  /** The providers to log in with, before the login. */
  readonly upstreams: readonly { readonly id: string; readonly name: string }[];
  /** The target of the form, for POST. */
  readonly action: string;
  /** The hidden fields of the form. They prove that the form is this page. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * The page of a login, without scripts. Its form has the fields of `fields` and a field `do`:
 * `allow`, `deny`, `switch`, or `with:` and the `id` of an upstream.
 */
export function consentPage(facts: ConsentPage): Html {
  const {
    server,
    clientName,
    clientHost,
    redirectHost,
    isLocal,
    userCode,
    scopes,
    account,
    allowedAt,
    upstreams,
  } = facts;
  const name = told(clientName);
  const who =
    account === undefined
      ? ""
      : `<dt>Your account</dt><dd>${told(account.label, 120)} (${told(account.subject, 120)})</dd>`;
  const listed = scopes.map(
    ({ name: scope, description }) => `<li>${escaped(description)} <small>(${escaped(scope)})</small></li>`,
  );
  const local = isLocal
    ? `<p class="warning">The access goes to a program on your computer. Continue only if you have just started the login there.</p>`
    : userCode === undefined
      ? ""
      : `<p class="warning">Continue only if your own device shows the code <strong>${told(userCode)}</strong> now, and do not continue with a code that others sent you.</p>`;
  const again =
    allowedAt === undefined
      ? ""
      : `<p>You allowed the same to this client on ${escaped(new Date(allowedAt).toISOString().slice(0, 10))}.</p>`;
  const buttons =
    account === undefined
      ? [...upstreams.map(withButton), `<button name="do" value="deny">Cancel</button>`]
      : [
          `<button name="do" value="allow">Allow</button>`,
          `<button name="do" value="deny">Deny</button>`,
          `<button name="do" value="switch">Use another account</button>`,
        ];
  return {
    title: account === undefined ? `Log in to ${server}` : `Allow access to ${server}?`,
    body: `<p>A program that calls itself <strong>${name}</strong> asks for access to ${told(server)} in your name.</p>
<dl>
<dt>Where the access goes</dt><dd><strong>${told(redirectHost, 200)}</strong></dd>
${clientHost === undefined ? "" : `<dt>Published by</dt><dd>${told(clientHost, 200)}</dd>`}
<dt>What it may do</dt><dd><ul>${listed.join("")}</ul></dd>
${who}
</dl>
${local}${again}
${formOf(facts.action, facts.fields, buttons)}`,
  };
}

/** A page that tells what went wrong. Texts are not escaped. */
export function problemPage(title: string, text: string, retry?: string): Html {
  const link = retry === undefined ? "" : `<p><a class="button" href="${escaped(retry)}">Try again</a></p>`;
  return { title, body: `<p>${told(text, 500)}</p>${link}` };
}

/** The page before the login of a user who wants to see the account page. Texts are not escaped. */
export function loginPage(facts: Pick<ConsentPage, "server" | "upstreams" | "action">): Html {
  const { server, upstreams, action } = facts;
  return {
    title: `Log in to ${server}`,
    body: `<p>Log in to see which programs have access in your name.</p>
${formOf(action, {}, upstreams.map(withButton))}`,
  };
}

function formOf(
  action: string,
  fields: Readonly<Record<string, string>>,
  buttons: readonly string[],
): string {
  const hidden = Object.entries(fields)
    .map(([field, value]) => `<input type="hidden" name="${escaped(field)}" value="${escaped(value)}">`)
    .join("");
  return `<form method="post" action="${escaped(action)}">${hidden}
${buttons.join("\n")}
</form>`;
}

function withButton({ id, name }: ConsentPage["upstreams"][number]): string {
  return `<button class="main" name="do" value="with:${escaped(id)}">Continue with ${told(name)}</button>`;
}
