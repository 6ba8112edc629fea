/**
 * This folder generates the partners' documentation from the contract: the OpenAPI document and the pages under `/docs`.
 */

import { type RequestHandler, type Response, Router } from "express";
import { type Deployment, openApiDocument } from "./openapi.ts";
import { renderPage, STYLESHEET_PATH } from "./pages/layout.ts";
import { documentationPages } from "./pages/pages.ts";
import type { Site, TestValues } from "./pages/site.ts";
import { readSamples, readStylesheet } from "./samples.ts";

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
 * `GET /openapi.json`, `GET /docs` and the pages below it. They need no credential, contain nothing private and are the
 * same for everybody, so they are created at the first request and kept.
 */
export function docsRouter(dependencies: DocsDependencies): Router {
  let files: ReadonlyMap<string, File> | null = null;
  const serve: RequestHandler = (request, response, next) => {
    files ??= writeFiles(dependencies);
    const file = files.get(request.path.replace(/\/$/, ""));
    if (file === undefined) next();
    else send(response, file);
  };
  return Router().get("/openapi.json", serve).get("/docs{/*page}", serve);
}

function writeFiles({ testValues, ...deployment }: DocsDependencies): Map<string, File> {
  const document = openApiDocument(deployment);
  const site: Site = { deployment, document, testValues, samples: readSamples() };
  const page = { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": PAGE_POLICY };
  // Editors of OpenAPI documents read it from other origins.
  const json = { "Content-Type": "application/json; charset=utf-8", "Access-Control-Allow-Origin": "*" };
  const fileOf = (text: string, headers: Readonly<Record<string, string>>): File => ({
    bytes: Buffer.from(text),
    headers: { "Cache-Control": CACHE, ...headers },
  });
  return new Map([
    ["/openapi.json", fileOf(JSON.stringify(document), json)],
    [STYLESHEET_PATH, fileOf(readStylesheet(), { "Content-Type": "text/css; charset=utf-8" })],
    ...documentationPages(site).map((one): [string, File] => [one.path, fileOf(renderPage(one, site), page)]),
  ]);
}

function send(response: Response, { bytes, headers }: File): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader("Content-Length", bytes.length);
  response.end(bytes);
}
