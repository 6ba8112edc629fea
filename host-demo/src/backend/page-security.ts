import type { HelmetOptions } from "helmet";

/**
 * The policy of the clinic's page, each source by name: nothing but its own files, the embed kit's script, and the
 * checkout's frame. No `unsafe-*`; scripts that turn text into markup are refused by the browser (Trusted Types).
 * This is what a partner copies.
 */
export function pageSecurity(widgetHostUrl: string): HelmetOptions {
  const widgetOrigin = new URL(widgetHostUrl).origin;
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        "default-src": ["'none'"],
        "script-src": ["'self'", widgetOrigin],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
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
    crossOriginOpenerPolicy: { policy: "same-origin" },
    // The demo runs without TLS on a developer's machine, where this header would only confuse.
    strictTransportSecurity: false,
  };
}

export const REPORTING_ENDPOINTS = 'csp="/csp-reports"';
