import type { Plugin } from "vite";

/** Where a build writes the names of the gallery's states (`list-gallery.ts`). */
const LIST = "/gallery.json";
const LISTING = "/src/gallery/list-states.ts";

/** Lets the development server serve the current names of the gallery's states. */
export function galleryInDevelopment(): Plugin {
  return {
    name: "gallery-in-development",
    apply: "serve",
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        if (request.url !== LIST) return next();
        server.ssrLoadModule(LISTING).then(({ GALLERY_LIST }) => {
          response.setHeader("content-type", "application/json; charset=utf-8");
          response.setHeader("cache-control", "no-store");
          response.end(JSON.stringify(GALLERY_LIST));
        }, next);
      });
    },
  };
}
