import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestHandler } from "express";
import helmet, { type HelmetOptions } from "helmet";

/** Header names and values, ready to be set. */
export type HeaderList = ReadonlyArray<readonly [name: string, value: string]>;

/**
 * Runs helmet once and keeps its headers. They do not depend on the request, and running helmet each time would take a
 * third of the time of a small request.
 */
export function computeSecurityHeaders(options: HelmetOptions): HeaderList {
  const headers: [string, string][] = [];
  const response = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => undefined,
  };
  let isDone = false;
  // Helmet reads nothing from the request and calls only these two methods of the response.
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

const NO_DEVICES =
  "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), midi=(), usb=()";

/**
 * The widget's page may delegate `payment` and passkeys to the frame of the issuer's challenge. No other page uses
 * them.
 */
const noDevices: HeaderList = [["Permissions-Policy", NO_DEVICES]];
const noDevicesOrPayments: HeaderList = [
  ["Permissions-Policy", `${NO_DEVICES}, payment=(), publickey-credentials-get=()`],
];

/** For the APIs. Their answers are personal data, so they are never framed or cached. */
export const apiHeaders: HeaderList = [
  ...computeSecurityHeaders({ contentSecurityPolicy: nothing, xFrameOptions: { action: "deny" } }),
  ...noDevicesOrPayments,
  ["Cache-Control", "no-store"],
];

/**
 * For the operators' console: pages with personal data, which only load their own style sheet and only submit forms to
 * themselves.
 */
export const consoleHeaders: HeaderList = [
  ...computeSecurityHeaders({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        "default-src": ["'none'"],
        "style-src": ["'self'"],
        "img-src": ["data:"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
      },
    },
    xFrameOptions: { action: "deny" },
    // A stricter policy would stop browsers from sending the origin with our forms.
    referrerPolicy: { policy: "same-origin" },
  }),
  ...noDevicesOrPayments,
  ["Cache-Control", "no-store"],
];

/**
 * For the widget host, whose pages and scripts are loaded into partners' pages: only `frame-ancestors` decides who may
 * frame it. This policy allows nothing; the widget's page replaces it with its own.
 */
export const widgetHostHeaders: HeaderList = [
  ...computeSecurityHeaders({
    contentSecurityPolicy: nothing,
    xFrameOptions: false,
    crossOriginResourcePolicy: { policy: "cross-origin" },
    // The bank's page may open in its own window and needs to reach the window that opened it.
    crossOriginOpenerPolicy: { policy: "same-origin-allow-popups" },
  }),
  ...noDevices,
];

/** Sets the headers on every answer; a later handler may override them. */
export function setHeaders(headers: HeaderList): RequestHandler {
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}
