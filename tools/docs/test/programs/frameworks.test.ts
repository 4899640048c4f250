import { ofFrameworks } from "./of-frameworks.ts";
import { verifyPrograms } from "./verify.ts";

verifyPrograms(ofFrameworks);
