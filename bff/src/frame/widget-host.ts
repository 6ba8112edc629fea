import { sep } from "node:path";
import express, { type IRouter, type RequestHandler } from "express";
import { createProxyMiddleware } from "http-proxy-middleware";
import type { WidgetToken } from "../contract/vocabulary/identifiers.ts";
import { RETURN_PATH } from "../contract/widget-page.ts";
import type { FileStorage } from "../gateways/file-storage.ts";
import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/logger.ts";
import type { Metrics } from "../platform/metrics.ts";
import { preferCompressed } from "./compression.ts";
import { createViolationCounter, REPORT_BYTES_MAX, readViolations } from "./csp-reports.ts";
import { hideGallery, mountGallery } from "./gallery.ts";
import { KEPT_ASSETS, KEPT_EMBED, serveKept } from "./kept-assets.ts";
import { type PageDependencies, servePage, serveReturn } from "./page.ts";

export interface WidgetHostDependencies extends PageDependencies {
  readonly logger: Logger;
  readonly clock: Pick<Clock, "now">;
  readonly metrics: PageDependencies["metrics"] & Pick<Metrics, "violationsReported">;
  /** The subset of tokens that exist, including ended ones. */
  readonly existingTokens: (tokens: readonly WidgetToken[]) => Promise<ReadonlySet<WidgetToken>>;
  /** Whether the designers' gallery is served: only without real parties. */
  readonly hasGallery: boolean;
  /** Storage with the files of earlier builds, and of builds that run at the same time. */
  readonly files: Pick<FileStorage, "get">;
}

const YEAR_MS = 365 * 24 * 60 * 60 * 1_000;
const EVERGREEN_SECONDS = 300;

/** Mounts the page, its files, the embed kit and the CSP report endpoint. Mount the allowed API routes first. */
export function mountWidgetHost(router: IRouter, dependencies: WidgetHostDependencies): void {
  router.post(
    "/csp-reports",
    express.json({
      type: ["application/csp-report", "application/reports+json", "application/json"],
      limit: REPORT_BYTES_MAX,
    }),
    collectReports(dependencies),
  );
  const { source, hasGallery } = dependencies;
  if (hasGallery) mountGallery(router, source);
  router.get("/", servePage(dependencies));
  router.route(`${RETURN_PATH}/:reference`).get(serveReturn(dependencies)).post(serveReturn(dependencies));
  if (source.kind === "development") {
    router.use(createProxyMiddleware({ target: source.url, changeOrigin: true, ws: true }));
    return;
  }
  const { assetsFolder, embedFolder, packagesFolder } = source.widget;
  router.use(
    "/assets",
    ...(hasGallery ? [] : [hideGallery]),
    preferCompressed(assetsFolder),
    serveFiles(assetsFolder, () => IMMUTABLE),
    serveKept(dependencies, KEPT_ASSETS, IMMUTABLE),
  );
  // Tarballs that package managers install by address; a released one never changes.
  router.use("/packages", openToEverybody, serveFiles(packagesFolder, packageCaching));
  router.use(
    "/embed",
    openToEverybody,
    preferCompressed(embedFolder),
    serveFiles(embedFolder, embedCaching),
    serveKept(dependencies, KEPT_EMBED, IMMUTABLE),
  );
}

/** Counts reports only from pages whose token exists, so that invented reports need a clinic's token. */
function collectReports(dependencies: WidgetHostDependencies): RequestHandler {
  const { addressLimits, existingTokens } = dependencies;
  const violations = createViolationCounter(dependencies);
  return async (request, response) => {
    await addressLimits.countPublicCall(request.ip ?? "");
    const reported = readViolations(request.body);
    const tokens = new Set(reported.map(({ widgetToken }) => widgetToken).filter((token) => token !== null));
    const existing = tokens.size === 0 ? tokens : await existingTokens([...tokens]);
    violations.count(reported.filter(({ widgetToken }) => widgetToken !== null && existing.has(widgetToken)));
    response.status(204).end();
  };
}

const IMMUTABLE = `public, max-age=${YEAR_MS / 1_000}, immutable`;

function serveFiles(folder: string, caching: (file: string) => string): RequestHandler {
  return express.static(folder, {
    index: false,
    redirect: false,
    cacheControl: false,
    setHeaders: (response, file) => response.setHeader("Cache-Control", caching(file)),
  });
}

/** `v1.js` changes under its name, `1.4.0.js` never does, and the manifest is always revalidated. */
function embedCaching(file: string): string {
  if (KEPT_EMBED.isKept(file)) return IMMUTABLE;
  return file.endsWith(".json") ? "no-cache" : `public, max-age=${EVERGREEN_SECONDS}`;
}

function packageCaching(file: string): string {
  return file.endsWith(".tgz") && !file.includes(`${sep}next${sep}`) ? IMMUTABLE : "no-cache";
}

/** Any origin may read the kit, because partners' pages load it from here with an integrity hash. */
const openToEverybody: RequestHandler = (_request, response, next) => {
  response.setHeader("Access-Control-Allow-Origin", "*");
  response.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
  next();
};
