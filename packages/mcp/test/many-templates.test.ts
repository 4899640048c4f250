import { bothEras } from "@tenon/test-support";
import { expect, test } from "vitest";

import { connectPair } from "./pair.ts";

const count = 500;

test.each(bothEras)(
  "of 500 templates that all look alike each URI finds its own, in %s (T-021)",
  async (revision) => {
    await using pair = await connectPair({ revision, client: { cache: false } }, (server) => {
      for (let index = 0; index < count; index++) {
        server.addResourceTemplate(
          { uriTemplate: `all://{+path}/k${index}/{id}{?q}`, name: `t${index}` },
          ({ variables: { path, id, q } }) => [index, path, id, q ?? ""].join(" "),
        );
      }
    });
    const { session } = pair;
    for (let index = 0; index < count; index += 7) {
      const { contents } = await session.readResource({ uri: `all://a/b/k${index}/i${index}?q=1` });
      expect(contents).toMatchObject([{ text: `${index} a/b i${index} 1` }]);
    }
    // Nothing matches, which every template has to say; and what is too long is refused as a whole.
    for (const uri of [`all://${"/k1/".repeat(2000)}`, `all://${"/k1/".repeat(100_000)}`, "all://a/k500/i"]) {
      await expect(session.readResource({ uri })).rejects.toMatchObject({
        code: expect.any(Number) as number,
      });
    }
  },
);
