import { randomId, type Cookies } from "../http/cookies.ts";
import type { BrokerRequest } from "../http/exchange.ts";
import type { Vault } from "../store/vault.ts";
import type { Accounts } from "./accounts.ts";
import { hashOf } from "./flows.ts";

/** A login to the broker in a browser. */
export interface Session {
  readonly subject: string;
  /** The epoch of the account: the session ends with it. */
  readonly epoch: string;
  /** The hash of the browser's cookie, without which the session is invalid. */
  readonly browser: string;
}

/** The sessions of browsers with the broker. */
export interface Sessions {
  /** The cookie that binds logins to a browser; `undefined` if the browser has none. */
  browser(request: BrokerRequest): string | undefined;
  /** Returns that cookie, or makes it, with the header that sets it. */
  bind(request: BrokerRequest): {
    readonly browser: string;
    readonly headers: readonly (readonly [string, string])[];
  };
  /** The session of a browser; `undefined` if it, its epoch or its account has ended. */
  find(request: BrokerRequest): Promise<Session | undefined>;
  /** Begins a session with a new identifier, which an attacker cannot have prepared. */
  begin(subject: string, epoch: string, browser: string): Promise<readonly [string, string]>;
  /** Ends the session of a browser, and returns the header that removes its cookie. */
  end(request: BrokerRequest): Promise<readonly [string, string]>;
}

/** How long a browser is remembered: 30 days. */
const browserTtlMs = 2_592_000_000;

/** Creates the sessions. */
export function createSessions(
  vault: Vault,
  cookies: Cookies,
  accounts: Pick<Accounts, "find">,
  ttlMs: number,
): Sessions {
  const browser = (request: BrokerRequest): string | undefined => cookies.read(request.headers, "browser");
  return {
    browser,
    bind(request) {
      const known = browser(request);
      const used = known ?? randomId();
      return {
        browser: used,
        headers: known === undefined ? [cookies.write("browser", used, browserTtlMs)] : [],
      };
    },
    async find(request) {
      const [id, bound] = [cookies.read(request.headers, "session"), browser(request)];
      const session = id === undefined ? undefined : (await vault.get<Session>("session", id))?.value;
      if (session === undefined || bound === undefined || session.browser !== hashOf(bound)) {
        return undefined;
      }
      return (await accounts.find(session.subject))?.epoch === session.epoch ? session : undefined;
    },
    async begin(subject, epoch, bound) {
      const id = randomId();
      const session: Session = { subject, epoch, browser: hashOf(bound) };
      await vault.put("session", id, { value: session, expiresAt: Date.now() + ttlMs });
      return cookies.write("session", id, ttlMs);
    },
    async end(request) {
      const id = cookies.read(request.headers, "session");
      await (id === undefined ? undefined : vault.delete("session", id));
      return cookies.write("session", "", 0);
    },
  };
}
