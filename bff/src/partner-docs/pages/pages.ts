/** This folder makes the pages of the partners' documentation, as HTML and as Markdown. */

import { changelogPage } from "./changelog-page.ts";
import { guidePages } from "./guide.ts";
import type { Page } from "./layout.ts";
import { operationPages, referencePage } from "./reference-pages.ts";
import type { Site } from "./site.ts";

/** Every page of the documentation. */
export function documentationPages(site: Site): Page[] {
  const written = guidePages(site);
  return [
    ...written.filter(({ contents }) => contents === "Guide"),
    referencePage(site),
    ...operationPages(site),
    ...written.filter(({ contents }) => contents === "Reference"),
    changelogPage(site),
  ];
}
