import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { GALLERY_LIST } from "../src/gallery/list-states.ts";

/* Writes the names of the gallery's states beside its page. */
const file = join(import.meta.dirname, "../dist/app/gallery.json");
writeFileSync(file, `${JSON.stringify(GALLERY_LIST, null, 2)}\n`);
