import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { IRouter, RequestHandler, Response } from "express";
import helmet from "helmet";
import { ApiError } from "../platform/http/api-error.ts";
import type { WidgetSource } from "./open-widget.ts";
import { type Directives, type InlineHashes, inlineHashes, pagePolicy } from "./page-policy.ts";

/**
 * Serves the designers' gallery, only without real parties: every screen of the widget on recorded answers at
 * `/gallery.html?state=…`, and the names of the states at `/gallery.json`. It has no tokens, calls or patient data, so
 * any page may frame it. Mount it before the widget's own files; it serves nothing if the gallery was not built.
 */
export function mountGallery(router: IRouter, source: WidgetSource): void {
  if (source.kind === "development") {
    // Vite's server delivers the page with its own scripts; only the policy is added here.
    router.get("/gallery.html", async (request, response, next) => {
      const inline = inlineHashes(await source.readPage("/gallery.html"));
      galleryPolicy(inline, source.url)(request, response, next);
    });
    return;
  }
  const page = join(dirname(source.widget.assetsFolder), "gallery.html");
  if (!existsSync(page)) return;
  router.get("/gallery.html", galleryPolicy(inlineHashes(readFileSync(page, "utf8")), null), (_request, response) =>
    sendFile(response, page),
  );
  router.get("/gallery.json", (_request, response) => sendFile(response, page.replace(/html$/, "json")));
}

function galleryPolicy(inline: InlineHashes, devServerUrl: string | null) {
  const directives = pagePolicy({
    frameAncestors: ["*"],
    logoUrl: null,
    frames: ["'none'"],
    inline,
    reportUrl: "/csp-reports",
    devServerUrl,
  });
  // One state shows a part of the checkout's page that is no component, and reads it from the page's text.
  const own: Directives = devServerUrl === null ? { "trusted-types": ["gallery"] } : {};
  return helmet.contentSecurityPolicy({ useDefaults: false, directives: { ...directives, ...own } });
}

function sendFile(response: Response, path: string): void {
  response.setHeader("Cache-Control", "no-cache");
  response.sendFile(path);
}

/** Mounted before the widget's files if there is no gallery, so that its scripts among them are not found. */
export const hideGallery: RequestHandler = (request, _response, next) => {
  next(basename(decodeURIComponent(request.path)).startsWith("gallery-") ? new ApiError("not_found") : undefined);
};
