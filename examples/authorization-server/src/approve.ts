/**
 * Logs in as a person would, by the forms of the authorization server, and consents to everything.
 *
 * @returns Where the browser is sent in the end.
 */
export async function approve(authorizationUrl: URL, user: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = authorizationUrl;
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 20; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie },
      ...(form === undefined ? {} : { method: "POST", body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = "", value = ""] = line.split(";", 1)[0]?.split("=", 2) ?? [];
      cookies.set(name, value);
    }
    form = undefined;
    const location = response.headers.get("location");
    if (location === null) {
      const page = await response.text();
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
      const action = /action="([^"]+)"/.exec(page)?.[1];
      if (prompt === undefined || action === undefined) {
        throw new Error(`The authorization server shows no form: ${response.status} ${page.slice(0, 500)}`);
      }
      url = new URL(action, url);
      form = new URLSearchParams({ prompt, login: user, password: "any" });
    } else {
      await response.body?.cancel();
      url = new URL(location, url);
      if (url.origin !== authorizationUrl.origin) {
        return url;
      }
    }
  }
  throw new Error("The authorization server redirects indefinitely.");
}
