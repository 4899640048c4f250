/** A replacement for the API without a network: two invented comics. */
export async function mock(url: URL): Promise<Response> {
  const number = /^\/(?:(\d+)\/)?info\.0\.json$/.exec(url.pathname)?.[1] ?? "2";
  const titles: Readonly<Record<string, string>> = { 1: "A mortise", 2: "A tenon" };
  const title = titles[number];
  return title === undefined
    ? new Response("404 Not Found", { status: 404, headers: { "content-type": "text/html" } })
    : Response.json({ num: Number(number), title, img: `https://imgs.example/${number}.png`, year: "2026" });
}
