import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface TestPage {
  readonly html: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A separate origin for the test: a real server, so that the browser itself enforces origins, policies and framing. */
export interface TestOrigin {
  readonly origin: string;
  /** Puts a page at a path and returns its address. */
  put(path: string, page: TestPage): string;
  close(): Promise<void>;
}

/**
 * Opens an origin. For browsers, `127.0.0.1` and `localhost` are two sites, and two ports of the same host are two
 * origins of one site.
 */
export async function openTestOrigin(host: "127.0.0.1" | "localhost" = "127.0.0.1"): Promise<TestOrigin> {
  const pages = new Map<string, TestPage>();
  const server = createServer((request, response) => {
    const page = pages.get(new URL(request.url ?? "/", "http://test").pathname);
    response.writeHead(page === undefined ? 404 : 200, {
      "content-type": "text/html; charset=utf-8",
      ...page?.headers,
    });
    response.end(page?.html ?? "");
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    put: (path, page) => {
      pages.set(path, page);
      return origin + path;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
