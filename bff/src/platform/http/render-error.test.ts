import { describe, expect, it } from "vitest";
import {
  type ErrorCode,
  errorBodySchema,
  errorCodes,
  isErrorCode,
  orderNotFoundBodySchema,
} from "../../contract/errors.ts";
import { DatabaseUnavailable } from "../database/errors.ts";
import { ApiError } from "./api-error.ts";
import { renderError } from "./render-error.ts";

const spot = { family: "spot", language: "en", requestId: "request-1" } as const;
const order = { ...spot, family: "order" } as const;
const codes = Object.keys(errorCodes).filter((code): code is ErrorCode => isErrorCode(code));

it("every code has the body that the contract describes, in both families and languages", () => {
  for (const code of codes) {
    for (const family of ["order", "spot"] as const) {
      for (const language of ["en", "es"] as const) {
        const { status, body } = renderError(new ApiError(code), { family, language, requestId: "request-1" });
        expect(status).toBe(errorCodes[code].status);
        const schema = family === "order" && status === 404 ? orderNotFoundBodySchema : errorBodySchema;
        expect(schema.safeParse(body).success, `${code} ${family}`).toBe(true);
        expect(JSON.stringify(body)).toContain(JSON.stringify(errorCodes[code][language]));
      }
    }
  }
});

it("an order endpoint's 404 has an object in detail, every other error a text", () => {
  expect(renderError(new ApiError("order_not_found"), order).body).toEqual({
    detail: { error_code: "order_not_found", message: "No such order." },
    code: "order_not_found",
  });
  expect(renderError(new ApiError("beneficiary_not_found"), spot).body).toMatchObject({ detail: expect.any(String) });
  expect(renderError(new ApiError("duplicate_reference"), order).body).toMatchObject({ detail: expect.any(String) });
});

it("the extra fields of an error are next to its code", () => {
  const issues = [{ path: "customer.rut", message: "no check digit" }];
  expect(renderError(new ApiError("validation_error", { errors: issues }), order)).toMatchObject({
    status: 422,
    body: { code: "validation_error", errors: issues },
  });
});

it("an error's waiting time is also sent as a header", () => {
  expect(renderError(new ApiError("rate_limited", { retry_after_seconds: 30 }), spot).headers).toEqual({
    "Retry-After": "30",
  });
  expect(renderError(new ApiError("not_found"), spot).headers).toEqual({});
});

describe("an unexpected error", () => {
  it("shows its request's id and nothing of the error itself", () => {
    for (const unforeseen of [
      new Error("select * from people where rut = '12345678-5'"),
      "text 12345678-5",
      null,
      { rut: "12345678-5" },
    ]) {
      const { status, body } = renderError(unforeseen, order);
      expect(status).toBe(500);
      expect(body).toEqual({ detail: errorCodes.internal_error.en, code: "internal_error", request_id: "request-1" });
    }
  });

  it("an unavailable database gives 503 with the seconds to wait", () => {
    const { status, body, headers } = renderError(new DatabaseUnavailable("connection to 10.0.0.7 lost"), spot);
    expect(status).toBe(503);
    expect(body).toEqual({
      detail: errorCodes.service_unavailable.en,
      code: "service_unavailable",
      request_id: "request-1",
    });
    expect(headers["Retry-After"]).toMatch(/^\d+$/);
  });

  it("a path that cannot be decoded gives 404", () => {
    expect(renderError(new URIError("malformed"), spot).status).toBe(404);
  });
});
