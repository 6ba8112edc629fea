import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { bankProtocol } from "./protocols/bank.ts";
import { cardProcessorProtocol } from "./protocols/card-processor.ts";
import { financingProviderProtocol } from "./protocols/financing-provider.ts";
import { insurerProtocol } from "./protocols/insurer.ts";
import { messengerProtocol } from "./protocols/messenger.ts";

/*
 * Third parties write connectors from `docs/reference/gateways.md`. The field names come from TypeScript here, so a
 * rename would change the wire, and a test with the service at both ends would not notice.
 */
const document = readFileSync(new URL("../../docs/reference/gateways.md", import.meta.url), "utf8");
const documented = new Map(
  [...document.matchAll(/^\| `(\/[\w/-]+)`[^|]*\| ([^|]+) \|/gm)].map(([, path = "", fields = ""]) => [
    path,
    [...fields.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  ]),
);
const protocols = [
  bankProtocol,
  cardProcessorProtocol,
  financingProviderProtocol,
  insurerProtocol,
  messengerProtocol,
].flatMap((protocol) => Object.values(protocol));
const calls = protocols.filter((operation) => "outcome" in operation);

function fieldsOf(schema: z.core.$ZodType): string[] {
  return Object.keys(z.toJSONSchema(schema, { unrepresentable: "any" }).properties ?? {});
}

describe("the connector protocol", () => {
  it("has calls", () => expect(calls.length).toBeGreaterThan(9));

  it.each(calls.map(({ path, input }) => ({ path, input })))(
    "sends the documented fields to $path",
    ({ path, input }) => {
      expect(fieldsOf(input)).toEqual(documented.get(path));
    },
  );

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
