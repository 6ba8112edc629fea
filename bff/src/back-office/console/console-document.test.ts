import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { undescribed } from "../../../test/undescribed.ts";
import type { Operation } from "../../partner-docs/openapi-document.ts";
import { consoleDocument } from "./console-document.ts";
import { consoleEndpoints } from "./console-endpoints.ts";
import { consoleNotes } from "./console-notes.ts";

describe("OpenAPI document of the console", () => {
  const document = JSON.parse(JSON.stringify(consoleDocument("https://console.example")));

  it("is valid OpenAPI 3.1 by the specification's own schema", async () => {
    const { valid, errors } = await new Validator().validate(document);
    expect([valid, errors]).toEqual([true, undefined]);
    expect((await new Validator().validate({ ...document, paths: { "/orders": { get: 7 } } })).valid).toBe(false);
  });

  it("has every address, each once", () => {
    const operations = Object.values<Record<string, Operation>>(document.paths).flatMap((item) => Object.values(item));
    expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(
      Object.keys(consoleEndpoints).toSorted(),
    );
  });

  it("describes every operation, parameter, response and field", () => {
    expect(undescribed(document)).toEqual([]);
    expect(Object.keys(consoleNotes).filter((id) => !(id in consoleEndpoints))).toEqual([]);
  });

  it("names the roles that an operation needs", () => {
    expect(document.paths["/audit"].get.description).toMatch(/Roles: .*operator\.$/);
  });

  it("describes a form's fields and an answer's content", () => {
    const { requestBody, responses } = document.paths["/exceptions/{name}/resolve"].post;
    const { properties, required } = requestBody.content["application/json"].schema;
    expect([Object.keys(properties), required]).toEqual([
      ["resolution", "note", "amount", "day"],
      ["resolution", "note"],
    ]);
    expect(Object.keys(responses)).toEqual(["200", "401", "403", "404", "409", "413", "422", "500", "503"]);
    expect(responses["200"].content["application/json"].schema.required).toContain("is_done");
    expect(document.paths["/"].get.responses).not.toHaveProperty("422");
  });
});
