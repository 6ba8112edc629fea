import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestHandler } from "express";
import helmet, { type HelmetOptions } from "helmet";

/** Names and values, ready to be set. */
export type HeaderList = ReadonlyArray<readonly [name: string, value: string]>;

/**
 * Runs helmet once and keeps what it would set. None of our headers depend on the request, and running helmet for each of
 * them costs a third of what a small request costs as a whole.
 */
export function computeSecurityHeaders(options: HelmetOptions): HeaderList {
  const headers: [string, string][] = [];
  const response = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => undefined,
  };
  let isDone = false;
  // Helmet reads nothing of the request and calls nothing but these two of the response.
  helmet(options)({} as IncomingMessage, response as unknown as ServerResponse, (error) => {
    if (error !== undefined) throw error;
    isDone = true;
  });
  if (!isDone) throw new Error("Helmet did not compute its headers at once.");
  return headers;
}

const nothing = {
  useDefaults: false,
  directives: {
    "default-src": ["'none'"],
    "frame-ancestors": ["'none'"],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
  },
};

const noDeviceAccess: HeaderList = [
  [
    "Permissions-Policy",
    "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), midi=(), usb=()",
  ],
];

/** For the APIs: their answers are data about people, never a page, never framed, never kept. */
export const apiHeaders: HeaderList = [
  ...computeSecurityHeaders({ contentSecurityPolicy: nothing, xFrameOptions: { action: "deny" } }),
  ...noDeviceAccess,
  ["Cache-Control", "no-store"],
];

/**
 * For the widget host: what it serves is loaded into partners' pages, so that `frame-ancestors` decides alone who frames
 * it. The policy here allows nothing; the widget's page sets its own over it.
 */
export const widgetHostHeaders: HeaderList = [
  ...computeSecurityHeaders({
    contentSecurityPolicy: nothing,
    xFrameOptions: false,
    crossOriginResourcePolicy: { policy: "cross-origin" },
    // The bank's page may open as a window of its own and has to find its way back.
    crossOriginOpenerPolicy: { policy: "same-origin-allow-popups" },
  }),
  ...noDeviceAccess,
];

/** Sets the headers on every answer; a later handler may set others over them. */
export function setHeaders(headers: HeaderList): RequestHandler {
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}
