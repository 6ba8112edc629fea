import type { IncomingMessage, ServerResponse } from "node:http";
import helmet from "helmet";
import { describe, expect, it } from "vitest";
import { apiHeaders, computeSecurityHeaders, widgetHostHeaders } from "./security-headers.ts";

describe("the security headers", () => {
  it("equal those that helmet sets", () => {
    const direct: Record<string, string> = {};
    const response = {
      setHeader: (name: string, value: string) => Reflect.set(direct, name, value),
      removeHeader: () => undefined,
    };
    helmet({})({} as IncomingMessage, response as unknown as ServerResponse, () => undefined);
    expect(Object.fromEntries(computeSecurityHeaders({}))).toEqual(direct);
  });

  it("the APIs' answers cannot load anything, be framed or be cached", () => {
    expect(Object.fromEntries(apiHeaders)).toMatchObject({
      "Content-Security-Policy": "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none'",
      "X-Frame-Options": "DENY",
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
      "Cache-Control": "no-store",
      "Strict-Transport-Security": expect.stringContaining("max-age="),
    });
  });

  it("the widget host leaves framing to the page's own policy, and allows nothing until there is one", () => {
    const headers = Object.fromEntries(widgetHostHeaders);
    expect(headers).not.toHaveProperty("X-Frame-Options");
    expect(headers).toMatchObject({
      "Content-Security-Policy": expect.stringContaining("frame-ancestors 'none'"),
      "Cross-Origin-Resource-Policy": "cross-origin",
      "Referrer-Policy": "no-referrer",
    });
  });
});
