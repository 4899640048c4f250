// One client candidate in a process of its own. Arguments: its name, the URL of its server, and how
// many calls are a sample.
import { serveSamples } from "../../../child.ts";
import { concurrentLoop, sequentialLoop } from "../../../loops/async.ts";
import { assertResult } from "../../jsonrpc2/work.ts";
import { connectCaller } from "./callers.ts";

const [name = "", url = "", calls = "1000"] = process.argv.slice(2);
const call = await connectCaller(name, url);
const checked = async (index: number): Promise<void> => assertResult(await call(index), index);

serveSamples(
  new Map([
    ["sequential", sequentialLoop(checked, { calls: Math.ceil(Number(calls) / 8) })],
    ["64 concurrent", concurrentLoop(checked, { calls: Number(calls) })],
  ]),
);
