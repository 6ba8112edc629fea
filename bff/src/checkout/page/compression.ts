import { existsSync, readdirSync } from "node:fs";
import { extname } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Request, RequestHandler, Response } from "express";

/** What every browser takes, the smaller one first, and how the build names files that are compressed so. */
const ENCODINGS = [
  { name: "br", ending: ".br" },
  { name: "gzip", ending: ".gz" },
] as const;

/** Better ones cost a page more time than they save on the line. */
const PAGE_BROTLI_QUALITY = 5;

const compressors = {
  br: (text: string) =>
    promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: PAGE_BROTLI_QUALITY } }),
  gzip: promisify<string, Buffer>(gzip),
};

/**
 * Sends a page compressed, where the browser takes it so: on a phone's line most of a page's time is its bytes. Nothing
 * that a request says is ever repeated in our pages, so that their length tells nothing of what is in them.
 */
export async function sendPage(request: Request, response: Response, html: string): Promise<void> {
  response.vary("Accept-Encoding").type("html");
  const encoding = ENCODINGS.find(({ name }) => request.acceptsEncodings(name));
  if (encoding === undefined) {
    response.send(html);
    return;
  }
  const body = await compressors[encoding.name](html);
  response.setHeader("Content-Encoding", encoding.name).send(body);
}

/**
 * Leads a request for a file to the compressed one beside it, where the build made one and the browser takes it. To be
 * mounted before the files themselves.
 */
export function preferCompressed(folder: string): RequestHandler {
  const names = new Set(existsSync(folder) ? readdirSync(folder) : []);
  return (request, response, next) => {
    const file = request.path.slice(1);
    const offered = ENCODINGS.filter(({ ending }) => names.has(file + ending));
    if (offered.length > 0) response.vary("Accept-Encoding");
    const encoding = offered.find(({ name }) => request.acceptsEncodings(name));
    if (encoding !== undefined) {
      response.setHeader("Content-Encoding", encoding.name).type(extname(file));
      request.url = `/${file}${encoding.ending}`;
    }
    next();
  };
}
