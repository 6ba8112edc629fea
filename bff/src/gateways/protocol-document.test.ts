import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { bankProtocol } from "./protocols/bank.ts";
import { cardProcessorProtocol } from "./protocols/card-processor.ts";
import { financingProviderProtocol } from "./protocols/financing-provider.ts";
import { identityRegistryProtocol } from "./protocols/identity-registry.ts";
import { insurerProtocol } from "./protocols/insurer.ts";
import { messengerProtocol } from "./protocols/messenger.ts";
import { taxDocumentsProtocol } from "./protocols/tax-documents.ts";

/*
 * Third parties write connectors from `docs/reference/gateways.md` and the OpenAPI document, whose fields
 * `lab/changes/connector-protocol.test.ts` compares with the released ones.
 */
const document = readFileSync(new URL("../../docs/reference/gateways.md", import.meta.url), "utf8");
const protocols = [
  bankProtocol,
  cardProcessorProtocol,
  financingProviderProtocol,
  identityRegistryProtocol,
  insurerProtocol,
  messengerProtocol,
  taxDocumentsProtocol,
].flatMap((protocol) => Object.values(protocol));
const json = JSON.stringify(
  protocols.map((operation) => [
    z.toJSONSchema(operation.input, { unrepresentable: "any" }),
    z.toJSONSchema(("outcome" in operation ? operation.outcome : operation.answer) as z.core.$ZodType, {
      unrepresentable: "any",
    }),
  ]),
);
const [, section = ""] = /^## The connector protocol$([\s\S]*?)^### Checking a connector/m.exec(document) ?? [];

describe("the connector protocol", () => {
  it("has an operation for each name of an operation in the document", () => {
    const names = new Set(protocols.map(({ path }) => path.split("/").at(-1)));
    const named = [...section.matchAll(/`((?:register|keep|forget|remove|send|file)-[a-z-]+)`/g)].map(
      ([, name]) => name,
    );
    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((name) => !names.has(name))).toEqual([]);
  });

  it("has each field that the document names", () => {
    const fields = [...section.matchAll(/`([a-z]+(?:[A-Z][a-z0-9]+)+)`/g)].map(([, field = ""]) => field);
    expect(fields.length).toBeGreaterThan(9);
    expect(fields.filter((field) => field !== "amountProblem" && !json.includes(`"${field}"`))).toEqual([]);
  });

  it("names an order in lists as in calls", () => {
    const lists = protocols.filter(({ path }) => path.endsWith("/movements") || path.endsWith("/loans"));
    expect(lists).toHaveLength(2);
    for (const list of lists) {
      const answer = "answer" in list ? list.answer : null;
      expect(JSON.stringify(z.toJSONSchema(answer as z.core.$ZodType, { unrepresentable: "any" }))).toContain(
        '"orderHash"',
      );
    }
  });
});
