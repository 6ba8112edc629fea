import type { Plugin } from "vite";

/** The kit's files as partners' pages load them, with the source of each. Only a build creates the classic one. */
const SOURCES: Readonly<Record<string, string>> = {
  "/embed/v1.js": "/embed/index.ts",
  "/embed/preload.js": "/embed/preload-checkout.ts",
  "/embed/diagnose.js": "/embed/diagnose.ts",
  "/embed/message.js": "/embed/message-element.ts",
};

/** Lets the development server serve the embed kit under the names that its builds have. */
export function embedInDevelopment(): Plugin {
  return {
    name: "embed-in-development",
    apply: "serve",
    configureServer(server) {
      server.middlewares.use((request, _response, next) => {
        request.url = SOURCES[request.url ?? ""] ?? request.url;
        next();
      });
    },
  };
}
