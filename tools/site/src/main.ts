import { writeContent } from "./content.ts";

const { pages, pictures } = await writeContent({ isWhole: process.env["TENON_SITE"] !== "sample" });
process.stdout.write(`${pages} pages and ${pictures} pictures in tools/site/content\n`);
