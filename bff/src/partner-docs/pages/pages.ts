import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../platform/program.ts";
import { changelogPage } from "./changelog-page.ts";
import { fillAroundParts, fillMarkdown, isPart, UnfitGuidePage } from "./fill.ts";
import { GUIDE_LANGUAGES, type GuideLanguage, guideWords } from "./guide-language.ts";
import { guideValues, termValues } from "./guide-values.ts";
import type { Contents, Page } from "./layout.ts";
import { operationPages, referencePage } from "./reference-pages.ts";
import { renderMarkdown } from "./render-markdown.ts";
import type { Site } from "./site.ts";

/** The Markdown files of the guide, in a folder for each language. */
export const GUIDE_FOLDER = join(packageFolder, "docs/site/guide");

/** In the order of the contents. */
const files: readonly (readonly [file: string, contents: Contents])[] = [
  ...[
    "start",
    "embedding",
    "apps",
    "front-desk",
    "known-patients",
    "meta-providers",
    "webhooks",
    "tools",
    "sandbox",
    "going-live",
  ].map((file) => [file, "Guide"] as const),
  ["errors", "Reference"],
  ["limits", "Reference"],
  ["policy", "Reference"],
];

function pathOf(file: string, language: GuideLanguage): string {
  if (language === "en") return `/docs/${file}`;
  return file === "start" ? "/docs/es" : `/docs/es/${file}`;
}

/** The pages that are written by hand, in every language. Throws `UnfitGuidePage`. */
export function guidePages(site: Site): Page[] {
  return GUIDE_LANGUAGES.flatMap((language) => pagesIn(language, site));
}

function pagesIn(language: GuideLanguage, site: Site): Page[] {
  const values = { ...termValues, ...guideValues(site, language) };
  const { locale, sampleLanguage } = guideWords[language];
  const partOf = (name: string) => {
    const part = Object.hasOwn(values, name) ? values[name] : undefined;
    if (part === undefined || !isPart(part)) throw new UnfitGuidePage(`{{${name}}} is no part.`);
    return part.html;
  };
  return files.map(([file, contents]) => {
    const template = readFileSync(join(GUIDE_FOLDER, language, `${file}.md`), "utf8");
    const { title, lead, body } = renderMarkdown(fillAroundParts(template, values, locale), partOf, sampleLanguage);
    const translation = pathOf(file, language === "en" ? "es" : "en");
    const markdown = fillMarkdown(template, values, locale);
    return { path: pathOf(file, language), language, translation, title, lead, body, contents, markdown };
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
