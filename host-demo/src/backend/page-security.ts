import type { HelmetOptions } from "helmet";

/**
 * The policy of the clinic's page, with every source by name: its own files, the embed kit's script, the checkout's
 * frame, and the API for prices in two parts. It has no `unsafe-*`, and Trusted Types prevent scripts from turning text
 * into markup. Partners can copy it.
 */
export function pageSecurity(urls: { readonly widgetHostUrl: string; readonly spotApiUrl: string }): HelmetOptions {
  const widgetOrigin = new URL(urls.widgetHostUrl).origin;
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        "default-src": ["'none'"],
        "script-src": ["'self'", widgetOrigin],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'", new URL(urls.spotApiUrl).origin],
        "frame-src": [widgetOrigin],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
        "require-trusted-types-for": ["'script'"],
        "trusted-types": ["'none'"],
        "report-uri": ["/csp-reports"],
        "report-to": ["csp"],
      },
    },
    referrerPolicy: { policy: "no-referrer" },
    crossOriginEmbedderPolicy: false,
    // With `same-origin` the checkout could not close a tab in which the bank's page was confirmed.
    crossOriginOpenerPolicy: { policy: "same-origin-allow-popups" },
    // The demo runs without TLS on a developer's machine, so this header would only cause trouble.
    strictTransportSecurity: false,
  };
}

export const REPORTING_ENDPOINTS = 'csp="/csp-reports"';
