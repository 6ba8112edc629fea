import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../platform/program.ts";
import { changelogPage } from "./changelog-page.ts";
import { fillAroundParts, fillMarkdown, isPart, UnfitGuidePage } from "./fill.ts";
import { guideValues, termValues } from "./guide-values.ts";
import type { Contents, Page } from "./layout.ts";
import { operationPages, referencePage } from "./reference-pages.ts";
import { renderMarkdown } from "./render-markdown.ts";
import type { Site } from "./site.ts";

/** The Markdown files of the guide, of one language. */
export const GUIDE_FOLDER = join(packageFolder, "docs/site/guide/en");

/** In the order of the contents. */
const files: readonly (readonly [file: string, contents: Contents])[] = [
  ...["start", "embedding", "apps", "front-desk", "known-patients", "webhooks", "tools", "sandbox", "going-live"].map(
    (file) => [file, "Guide"] as const,
  ),
  ["errors", "Reference"],
  ["limits", "Reference"],
];

/** The pages that are written by hand. Throws `UnfitGuidePage`. */
export function guidePages(site: Site): Page[] {
  const values = { ...termValues, ...guideValues(site) };
  return files.map(([file, contents]) => {
    const template = readFileSync(join(GUIDE_FOLDER, `${file}.md`), "utf8");
    const path = file === "start" ? "/docs" : `/docs/${file}`;
    const { title, lead, body } = renderMarkdown(fillAroundParts(template, values), (name) => {
      const part = Object.hasOwn(values, name) ? values[name] : undefined;
      if (part === undefined || !isPart(part)) throw new UnfitGuidePage(`${file}.md: {{${name}}} is no part.`);
      return part.html;
    });
    return { path, title, lead, body, contents, markdown: fillMarkdown(template, values) };
  });
}

/** This folder makes the pages of the partners' documentation, as HTML and as Markdown. */

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
