import { existsSync, readdirSync } from "node:fs";
import { extname } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Request, RequestHandler, Response } from "express";

/** Encodings that every browser accepts, smallest output first, with the suffix of the build's compressed files. */
const ENCODINGS = [
  { name: "br", ending: ".br" },
  { name: "gzip", ending: ".gz" },
] as const;

/** A higher quality costs more time than it saves in transfer. */
const PAGE_BROTLI_QUALITY = 5;

const compressors = {
  br: (text: string) =>
    promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: PAGE_BROTLI_QUALITY } }),
  gzip: promisify<string, Buffer>(gzip),
};

/**
 * Sends a page compressed if the browser accepts it, because transfer takes most of a page's time on a phone.
 * Compression reveals nothing through the length, since pages never repeat anything from the request.
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
 * Rewrites a request for a file to its compressed version, if the build made one and the browser accepts it. It must be
 * mounted before the static files.
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
