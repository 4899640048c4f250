import { ofSdk } from "./of-sdk.ts";
import { verifyPrograms, verifyWaits } from "./verify.ts";
import { waitsOfSdk } from "./waits-of-sdk.ts";

verifyPrograms(ofSdk);
verifyWaits(waitsOfSdk);
