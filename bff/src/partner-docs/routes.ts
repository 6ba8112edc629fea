/**
 * This folder generates the partners' documentation from the contract: the OpenAPI document and the pages under
 * `/docs`.
 */

import { type Request, type RequestHandler, type Response, Router } from "express";
import { readPageStylesheet } from "../platform/http/page-stylesheet.ts";
import { readKeptReleases } from "./kept-differences.ts";
import { llmsText } from "./llms.ts";
import { type Deployment, openApiDocument } from "./openapi.ts";
import { readServedPackages } from "./packages.ts";
import { GUIDE_LANGUAGES, type GuideLanguage } from "./pages/guide-language.ts";
import {
  type Page,
  QUERY_LENGTH_MAX,
  renderPage,
  SCRIPT_PATH,
  SEARCH_PATHS,
  START_PATHS,
  STYLESHEET_PATH,
} from "./pages/layout.ts";
import { markdownPath } from "./pages/markdown-path.ts";
import { pageScript } from "./pages/page-script.ts";
import { documentationPages } from "./pages/pages.ts";
import type { Site, TestValues } from "./pages/site.ts";
import { PROJECTS, type ProjectName, readProject, zipProject } from "./projects.ts";
import { CLIENTS, readClient, readSamples, readSkill } from "./samples.ts";
import { type SearchIndex, searchIndex, searchPage } from "./search.ts";

export interface DocsDependencies extends Deployment {
  /** The values in the sandbox's catalogue; null if there is no sandbox. */
  readonly testValues: TestValues | null;
  /** The folder with the packages of this build; null if this process has none. */
  readonly packagesFolder: string | null;
}

/** One script, which creates no code or markup from text, and nothing from another origin. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const CACHE = "public, max-age=300";

interface File {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * `GET /openapi.json`, `GET /docs` and the pages below it, each also as Markdown, `GET /llms.txt`, which lists these,
 * `GET /SKILL.md`, the clients in one file, and the projects. They need no credential, contain nothing private and are
 * the same for everybody, so each is created at its first request and kept. `/docs` alone depends on the browser's
 * language, and a search on its query.
 */
export function docsRouter(dependencies: DocsDependencies): Router {
  let documentation: Documentation | null = null;
  const serve: RequestHandler = (request, response, next) => {
    documentation ??= document(dependencies);
    const path = request.path.replace(/\/$/, "");
    const searched = GUIDE_LANGUAGES.find((language) => path === SEARCH_PATHS[language]);
    const file = documentation.files.get(path);
    if (path === "/docs" && prefersSpanish(request, response)) response.redirect(302, START_PATHS.es);
    else if (searched !== undefined) send(response, documentation.found(searched, queryOf(request)));
    else if (file !== undefined) send(response, file());
    else next();
  };
  return Router().get(["/openapi.json", "/llms.txt", "/SKILL.md", "/docs.md", "/docs{/*page}"], serve);
}

function prefersSpanish(request: Request, response: Response): boolean {
  response.vary("Accept-Language");
  return request.acceptsLanguages("en", "es") === "es";
}

/** A query that is sent twice, or as a list, is ignored. */
function queryOf({ query: { q } }: Request): string {
  return typeof q === "string" ? q : "";
}

const types = {
  page: { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": PAGE_POLICY },
  // Editors of OpenAPI documents read it from other origins.
  json: { "Content-Type": "application/json; charset=utf-8", "Access-Control-Allow-Origin": "*" },
  script: { "Content-Type": "text/javascript; charset=utf-8" },
  styles: { "Content-Type": "text/css; charset=utf-8" },
  markdown: { "Content-Type": "text/markdown; charset=utf-8" },
  text: { "Content-Type": "text/plain; charset=utf-8" },
  zip: { "Content-Type": "application/zip" },
} as const;

interface Documentation {
  /** All files by path; each is rendered at its first request. */
  readonly files: ReadonlyMap<string, () => File>;
  readonly found: (language: GuideLanguage, query: string) => File;
}

function document({ testValues, packagesFolder, ...deployment }: DocsDependencies): Documentation {
  const site: Site = {
    deployment,
    document: openApiDocument(deployment),
    testValues,
    samples: readSamples(),
    packages: readServedPackages(packagesFolder),
    releases: readKeptReleases(),
  };
  const pages = documentationPages(site);
  const indexes = new Map<GuideLanguage, SearchIndex>();
  const indexOf = (language: GuideLanguage) => {
    const index = indexes.get(language) ?? searchIndex(pages, language);
    indexes.set(language, index);
    return index;
  };
  const startAlsoAt = (path: string, language: GuideLanguage) =>
    pages
      .filter((page) => page.path === START_PATHS[language])
      .flatMap((page) => [pageFile(path, page, pages, site), markdownFile(path, page)]);
  return {
    files: new Map([...filesOf(pages, site), ...startAlsoAt("/docs", "en"), ...startAlsoAt("/docs/es/start", "es")]),
    found: (language, query) => {
      const text = renderPage(
        searchPage(indexOf(language), query, language),
        pages,
        site,
        query.slice(0, QUERY_LENGTH_MAX),
      );
      return { bytes: Buffer.from(text), headers: { ...types.page, "Cache-Control": "no-store" } };
    },
  };
}

function filesOf(pages: readonly Page[], site: Site): [path: string, file: () => File][] {
  const { deployment } = site;
  return [
    fileAt("/openapi.json", "json", () => JSON.stringify(site.document)),
    fileAt(STYLESHEET_PATH, "styles", () => readPageStylesheet("docs")),
    fileAt(SCRIPT_PATH, "script", () => pageScript().text),
    fileAt("/llms.txt", "text", () => llmsText(pages, deployment.orderApiUrl)),
    ...CLIENTS.map((name) => fileAt(`/docs/clients/${name}`, "text", () => readClient(name))),
    ...PROJECTS.flatMap((name) => projectFiles(name, site)),
    fileAt("/SKILL.md", "markdown", () => readSkill(deployment, site.packages)),
    ...pages.flatMap((page) => [pageFile(page.path, page, pages, site), markdownFile(page.path, page)]),
  ];
}

function projectFiles(name: ProjectName, { deployment, packages }: Site) {
  const files = () => readProject(name, deployment, packages);
  return [
    fileAt(`/docs/projects/${name}.zip`, "zip", () => zipProject(name, files())),
    // The same for `aapd-dev new`.
    fileAt(`/docs/projects/${name}.json`, "json", () => JSON.stringify({ files: files() })),
  ];
}

function pageFile(path: string, page: Page, pages: readonly Page[], site: Site) {
  return fileAt(path, "page", () => renderPage(page, pages, site));
}

function markdownFile(path: string, page: Page) {
  return fileAt(markdownPath(path), "markdown", () => page.markdown);
}

function fileAt(
  path: string,
  type: keyof typeof types,
  write: () => string | Uint8Array,
): [path: string, file: () => File] {
  let file: File | null = null;
  const headers = { "Cache-Control": CACHE, ...types[type] };
  return [path, () => (file ??= { bytes: Buffer.from(write()), headers })];
}

function send(response: Response, { bytes, headers }: File): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader("Content-Length", bytes.length);
  response.end(bytes);
}
