import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "vite";

interface ServedFile {
  readonly type: string;
  readonly cacheControl: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly brotli: Buffer;
}

const TYPES: readonly (readonly [ending: string, type: string])[] = [
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
];

function fileOf(name: string, text: string): ServedFile {
  const type = TYPES.find(([ending]) => name.endsWith(ending))?.[1] ?? "application/octet-stream";
  const plain = Buffer.from(text);
  return {
    type,
    cacheControl: type.startsWith("text/html") ? "no-store" : "public, max-age=31536000, immutable",
    plain,
    gzip: gzipSync(plain, { level: 9 }),
    brotli: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  };
}

/** A bare page of React, built as the widget is, by path. */
async function buildBarePage(): Promise<ReadonlyMap<string, ServedFile>> {
  const built = await build({
    root: fileURLToPath(new URL("./bare-page", import.meta.url)),
    configFile: false,
    logLevel: "warn",
    oxc: { jsx: { runtime: "automatic", development: false } },
    build: { write: false, target: ["chrome105", "safari16.4", "firefox121"], modulePreload: false },
  });
  if (!("output" in built)) throw new Error("the bare page was built as more than one thing");
  return new Map(
    built.output.map((file) => {
      const text = file.type === "chunk" ? file.code : file.source.toString();
      return [file.fileName === "index.html" ? "/" : `/${file.fileName}`, fileOf(file.fileName, text)];
    }),
  );
}

/** The embedding page, the same for both variants. Only the frame differs, whose URL comes from the page's own URL. */
function hostPage(frameUrl: string): string {
  return `<!doctype html>
<html lang="es-CL">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Clínica</title>
<link rel="icon" href="data:,">
<style>body{margin:0}iframe{display:block;width:100%;height:1560px;border:0}</style>
<iframe title="Pago" src="${frameUrl.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"></iframe>
</html>`;
}

/** A page that opens the checkout with the kit when its button is pressed. */
function kitPage({ kitHost, url, isPreloaded }: OpenedByKit): string {
  const address = JSON.stringify(url).replaceAll("<", "\\u003c");
  return `<!doctype html>
<html lang="es-CL">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Clínica</title>
<link rel="icon" href="data:,">
<style>body{margin:0}button{position:fixed;bottom:0}</style>
<div id="checkout"></div>
<button type="button">Pagar</button>
<script type="module">
import { mountCheckout } from "${kitHost}/embed/v1.js";
import { preloadCheckout } from "${kitHost}/embed/preload.js";
const url = ${isPreloaded ? `preloadCheckout(${address})` : address};
document.querySelector("button").onclick = ({ timeStamp }) => {
  window.pressedAt = performance.timeOrigin + timeStamp;
  mountCheckout(document.querySelector("#checkout"), { url });
};
document.documentElement.dataset.ready = "";
</script>
</html>`;
}

/** Sends a file like the widget host: in the best compression that the browser accepts. */
function respond(files: (path: string) => ServedFile | undefined): RequestListener {
  return (request, response) => {
    const file = files(request.url ?? "/");
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    const accepted = String(request.headers["accept-encoding"] ?? "");
    const encoding = /\bbr\b/.test(accepted) ? "br" : /\bgzip\b/.test(accepted) ? "gzip" : null;
    const body = encoding === "br" ? file.brotli : encoding === "gzip" ? file.gzip : file.plain;
    response.writeHead(200, {
      "content-type": file.type,
      "cache-control": file.cacheControl,
      "content-length": body.length,
      vary: "accept-encoding",
      ...(encoding === null ? {} : { "content-encoding": encoding }),
    });
    response.end(body);
  };
}

async function listen(listener: RequestListener): Promise<{ server: Server; port: number }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
}

export interface OpenedByKit {
  /** The origin that serves the kit. */
  readonly kitHost: string;
  readonly url: string;
  /** Loads the checkout before the press. */
  readonly isPreloaded: boolean;
}

export interface BenchPages {
  readonly hostPort: number;
  readonly barePort: number;
  /** The path of a page that frames an address. */
  hostPath(frameUrl: string): string;
  /** The path of a page that opens a checkout with the kit. */
  kitPath(opened: OpenedByKit): string;
  close(): Promise<void>;
}

/** Serves the outer pages, and the bare page that the widget is compared with. */
export async function servePages(): Promise<BenchPages> {
  const bareFiles = await buildBarePage();
  const hostPages = new Map<string, ServedFile>();
  const host = await listen(respond((path) => hostPages.get(path)));
  const bare = await listen(respond((path) => bareFiles.get(path)));
  const put = (html: string): string => {
    const path = `/pay-${hostPages.size}`;
    hostPages.set(path, fileOf("page.html", html));
    return path;
  };
  return {
    hostPort: host.port,
    barePort: bare.port,
    hostPath: (frameUrl) => put(hostPage(frameUrl)),
    kitPath: (opened) => put(kitPage(opened)),
    async close() {
      for (const { server } of [host, bare]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}
