import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { IRouter, Response } from "express";
import helmet from "helmet";
import type { WidgetSource } from "./page.ts";
import { type InlineHashes, inlineHashes, pagePolicy } from "./page-policy.ts";

/**
 * Serves the designers' gallery: every screen of the widget on recorded answers, at `/gallery.html?state=…`, and the names of
 * the states at `/gallery.json`. It knows no token, calls nothing and shows nobody's data, so that any page may frame it. For
 * staging; to be mounted before the widget's own files. Serves nothing where the gallery was not built.
 */
export function mountGallery(router: IRouter, source: WidgetSource): void {
  if (source.kind === "development") {
    // Vite's server has the page, with scripts of its own; only the policy comes from here.
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
    challengeOrigin: "'none'",
    inline,
    reportUrl: "/csp-reports",
    devServerUrl,
  });
  return helmet.contentSecurityPolicy({ useDefaults: false, directives: { ...directives } });
}

function sendFile(response: Response, path: string): void {
  response.setHeader("Cache-Control", "no-cache");
  response.sendFile(path);
}
