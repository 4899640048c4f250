import type { Provider } from "oidc-provider";

import type { BrokerRequest, BrokerResponse } from "../http/exchange.ts";
import { isSameOrigin } from "../http/same-origin.ts";
import { problemPage } from "../pages/consent.ts";
import { escaped, page, told } from "../pages/html.ts";
import { resourceOf } from "../provider/resources.ts";
import { clientFacts } from "./client-facts.ts";
import type { Login } from "./login.ts";

/** The parts of the page for devices. */
export interface DevicePagesParts {
  readonly login: Login;
  readonly provider: () => Promise<Provider>;
  readonly server: string;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  readonly origin: string;
  readonly base: string;
}

/** The page for the code that a device shows. */
export interface DevicePages {
  show(request: BrokerRequest): Promise<BrokerResponse>;
  submit(request: BrokerRequest): Promise<BrokerResponse>;
}

/** Creates the page. */
export function createDevicePages(parts: DevicePagesParts): DevicePages {
  const { login, server, base, origin } = parts;

  function form(code: string, problem?: string): BrokerResponse {
    const title = `onnect a device to ${server}`;
    const [alert, invalid] =
      problem === undefined
        ? ["", ""]
        : [
            `<p class="warning" role="alert" id="problem">${told(problem, 200)}</p>`,
            ` aria-invalid="true" aria-describedby="problem" autofocus`,
          ];
    return page(problem === undefined ? 200 : 400, {
      title: problem === undefined ? `C${title}` : `Wrong code: c${title}`,
      body: `${alert}<form method="post" action="${escaped(base)}/device">
<p><label for="code">The code that your device shows</label><br>
<input id="code" name="user_code" value="${escaped(code)}" autocomplete="off" autocapitalize="characters" required maxlength="20"${invalid}></p>
<p class="warning">Continue only if you have just started this login yourself. Do not enter codes that others send you.</p>
<button class="main">Continue</button>
</form>`,
    });
  }

  return {
    show: ({ search }) =>
      Promise.resolve(form((new URLSearchParams(search).get("user_code") ?? "").slice(0, 20))),
    async submit(request) {
      if (!isSameOrigin(request, origin)) {
        return page(
          403,
          problemPage("This form is not ours", "Enter the code on the page of the broker itself."),
        );
      }
      const typed = new URLSearchParams(request.body.toString()).get("user_code") ?? "";
      const provider = await parts.provider();
      const plain = typed.toUpperCase().replace(/[^A-Z\d]/g, "");
      const code = await provider.DeviceCode.findByUserCode(plain);
      const client = code === undefined ? undefined : await provider.Client.find(code.clientId);
      if (
        code === undefined ||
        client === undefined ||
        code.accountId !== undefined ||
        code.error !== undefined
      ) {
        return form(typed.slice(0, 20), "This code is wrong, or it has ended.");
      }
      const { scope, resource } = code.params;
      const asked = typeof scope === "string" ? scope.split(" ") : parts.scopes;
      return login.begin(request, {
        purpose: "device",
        client: clientFacts(client, undefined),
        scopes: asked.filter((one) => parts.scopes.includes(one)),
        resource: [resource].flat().find((one) => resourceOf(parts.resources, one) !== undefined) as
          | string
          | undefined,
        deviceCode: code.jti,
        userCode: plain.replace(/(.{4})(?=.)/g, "$1-"),
      });
    },
  };
}
