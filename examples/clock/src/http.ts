import { createStreamableHandler } from "@tenon/sdk/http";
import { listen } from "@tenon/sdk/node";

import { server } from "./clock.ts";

// #region serve
const handler = createStreamableHandler({ getServer: () => server });
const { url } = await listen(handler, { port: Number(process.env["PORT"] ?? 3000) });
console.log(url.href);
// #endregion serve
