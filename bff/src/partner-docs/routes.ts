/**
 * This folder generates the partners' documentation from the contract: the OpenAPI document and the pages under
 * `/docs`.
 */

import { type RequestHandler, type Response, Router } from "express";
import { readPageStylesheet } from "../platform/http/page-stylesheet.ts";
import { readKeptReleases } from "./kept-differences.ts";
import { llmsText } from "./llms.ts";
import { type Deployment, openApiDocument } from "./openapi.ts";
import { renderPage, STYLESHEET_PATH } from "./pages/layout.ts";
import { markdownPath } from "./pages/markdown-path.ts";
import { documentationPages } from "./pages/pages.ts";
import type { Site, TestValues } from "./pages/site.ts";
import { PROJECTS, readProject, zipProject } from "./projects.ts";
import { CLIENTS, readClient, readSamples, readSkill } from "./samples.ts";

export interface DocsDependencies extends Deployment {
  /** The values in the sandbox's catalogue; null if there is no sandbox. */
  readonly testValues: TestValues | null;
}

/** No scripts, and nothing from another origin. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const CACHE = "public, max-age=300";

interface File {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * `GET /openapi.json`, `GET /docs` and the pages below it, each also as Markdown, `GET /llms.txt`, which lists these,
 * `GET /SKILL.md`, the clients in one file, and the projects. They need no credential, contain nothing private and are
 * the same for everybody, so each is created at its first request and kept.
 */
export function docsRouter(dependencies: DocsDependencies): Router {
  let files: ReadonlyMap<string, () => File> | null = null;
  const serve: RequestHandler = (request, response, next) => {
    files ??= listFiles(dependencies);
    const file = files.get(request.path.replace(/\/$/, ""));
    if (file === undefined) next();
    else send(response, file());
  };
  return Router().get(["/openapi.json", "/llms.txt", "/SKILL.md", "/docs.md", "/docs{/*page}"], serve);
}

const types = {
  page: { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": PAGE_POLICY },
  // Editors of OpenAPI documents read it from other origins.
  json: { "Content-Type": "application/json; charset=utf-8", "Access-Control-Allow-Origin": "*" },
  styles: { "Content-Type": "text/css; charset=utf-8" },
  markdown: { "Content-Type": "text/markdown; charset=utf-8" },
  text: { "Content-Type": "text/plain; charset=utf-8" },
  zip: { "Content-Type": "application/zip" },
} as const;

/** All files by path; each is rendered at its first request. */
function listFiles({ testValues, ...deployment }: DocsDependencies): Map<string, () => File> {
  const document = openApiDocument(deployment);
  const site: Site = { deployment, document, testValues, samples: readSamples(), releases: readKeptReleases() };
  const pages = documentationPages(site);
  return new Map([
    fileAt("/openapi.json", "json", () => JSON.stringify(document)),
    fileAt(STYLESHEET_PATH, "styles", () => readPageStylesheet("docs")),
    fileAt("/llms.txt", "text", () => llmsText(pages, deployment.orderApiUrl)),
    ...CLIENTS.map((name) => fileAt(`/docs/clients/${name}`, "text", () => readClient(name))),
    ...PROJECTS.flatMap((name) => [
      fileAt(`/docs/projects/${name}.zip`, "zip", () => zipProject(name, readProject(name, deployment))),
      // The same for `aapd-dev new`.
      fileAt(`/docs/projects/${name}.json`, "json", () => JSON.stringify({ files: readProject(name, deployment) })),
    ]),
    fileAt("/SKILL.md", "markdown", () => readSkill(deployment)),
    ...pages.flatMap((page) => [
      fileAt(page.path, "page", () => renderPage(page, pages, site)),
      fileAt(markdownPath(page.path), "markdown", () => page.markdown),
    ]),
  ]);
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
