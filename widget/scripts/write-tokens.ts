import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tokensCss } from "./tokens.ts";

writeFileSync(join(import.meta.dirname, "../src/design/tokens.css"), tokensCss());
