import { explain } from "@tenon/jsonschema";
import { compile } from "@tenon/jsonschema/core";
import { isEmail } from "@tenon/jsonschema/formats";

const account = compile(
  {
    properties: {
      mail: { type: "string", format: "email" },
      plan: { type: "string", format: "plan-code" },
    },
  },
  // Formats are annotations unless asserted. The core build contains no formats; the main entry
  // contains all.
  {
    formats: "assert",
    customFormats: { email: isEmail, "plan-code": (value) => /^[A-Z]{3}-\d+$/.test(value) },
  },
);

const result = account.check({ mail: "nobody", plan: "PRO-1" });
if (!result.valid) {
  console.log(explain(result.errors)); // mail: expected the format email, received "nobody"
}
console.log(account.is({ mail: "nobody@example.org", plan: "PRO-1" })); // true
