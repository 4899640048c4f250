import { ofPackages } from "./of-packages.ts";
import { verifyPrograms, verifyWaits } from "./verify.ts";
import { waitsOfPackages } from "./waits-of-packages.ts";

verifyPrograms(ofPackages);
verifyWaits(waitsOfPackages);
