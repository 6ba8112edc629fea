import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { cardProcessorProtocol } from "../../../src/gateways/protocols/card-processor.ts";
import { undescribed } from "../../../test/undescribed.ts";
import { connectorDocument } from "./protocol-document.ts";
import { protocolNotes } from "./protocol-notes.ts";

describe("OpenAPI document of the connector protocol", () => {
  const document = JSON.parse(JSON.stringify(connectorDocument()));

  it("is valid OpenAPI 3.1 by the specification's own schema", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(document);
    expect([valid, errors, validator.version]).toEqual([true, undefined, "3.1"]);
    expect((await new Validator().validate({ ...document, paths: { "/bank/transfer": { post: 7 } } })).valid).toBe(
      false,
    );
  });

  it("describes every operation, parameter, response and field", () => {
    expect(undescribed(document)).toEqual([]);
  });

  it("has notes for existing paths only, and describes every field whose name does not explain it", () => {
    const paths = Object.keys(document.paths).filter((path) => !path.endsWith("/inquiry"));
    expect(Object.keys(protocolNotes).toSorted()).toEqual(paths.toSorted());
    const fee = document.paths["/card-processor/settlements"].post.responses["200"].content["application/json"].schema;
    expect(fee.properties.items.items.properties.lines.items.properties.fee.description).toContain("without VAT");
  });

  it("has an inquiry exactly for the calls that the service inquires about", () => {
    const own = Object.keys(document.paths).filter((path) => path.startsWith("/card-processor/"));
    const expected = Object.values(cardProcessorProtocol).flatMap((operation) =>
      "outcome" in operation && operation.isInquired !== false
        ? [operation.path, `${operation.path}/inquiry`]
        : [operation.path],
    );
    expect(own).toEqual(expected);
    expect(own).not.toContain("/card-processor/register-stored-card/inquiry");
  });

  it("describes every request, and every answer that the service accepts", () => {
    const { requestBody, responses, parameters } = document.paths["/card-processor/return"].post;
    expect(parameters).toMatchObject([{ name: "idempotency-key", in: "header", required: true }]);
    const sent = requestBody.content["application/json"].schema;
    expect(sent.required).toEqual(["provider_id", "at", "input"]);
    expect(sent.properties.at).toEqual({
      type: "string",
      format: "date-time",
      description: expect.stringContaining("The provider's time"),
    });
    expect(Object.keys(sent.properties.input.properties)).toEqual(["chargeId", "amount", "orderHash"]);
    const taken = responses["200"].content["application/json"].schema.oneOf;
    expect(taken.map(({ properties }: { properties: { outcome: unknown } }) => properties.outcome)).toContainEqual(
      expect.objectContaining({ const: "returned" }),
    );
  });

  it("has a unique operation id for each operation", () => {
    const ids = Object.values<{ post: { operationId: string } }>(document.paths).map(({ post }) => post.operationId);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });
});
