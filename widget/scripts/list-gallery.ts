import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { GALLERY_STATES } from "../src/gallery/states.ts";

/* Writes the names of the gallery's states beside its page, for whoever frames them: the clinic's demo and the tests. */
const states = GALLERY_STATES.map(({ name, group }) => ({ name, group }));
const file = join(import.meta.dirname, "../dist/app/gallery.json");
writeFileSync(file, `${JSON.stringify({ states }, null, 2)}\n`);
