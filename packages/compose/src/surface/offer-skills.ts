import { defineServerExtension, type Server, type ServerRequest } from "@tenon/mcp/server";

import { skillMethods, skillsExtension } from "../source/connected-skills.ts";
import { mayOffer } from "../source/source-feature.ts";
import type { ProxySource } from "../source/source.ts";

/** Offers the skills of a source to the clients of a server. Their files are resources. */
export function offerSkills(server: Server, { skills }: ProxySource): void {
  if (mayOffer(skills)) {
    server.use(
      defineServerExtension({
        id: skillsExtension,
        setup: (own) => {
          for (const [method, { definition }] of skillMethods) {
            own.addMethod(
              definition,
              async (params, request) =>
                (await skills.request(request as ServerRequest, method, params)) as object,
            );
          }
        },
      }),
    );
  }
}
