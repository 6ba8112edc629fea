import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sandboxEndpoints } from "../../../src/contract/sandbox-endpoints.ts";
import { startBff, type TestBff } from "../../start-bff.ts";

const { readSandboxCatalogue } = sandboxEndpoints;
let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

describe("GET /sandbox/catalogue", () => {
  it("200: every magic value with its effect", async () => {
    const { status, body } = await bff.callOrderApi(readSandboxCatalogue, { as: bff.clinic });
    expect(status).toBe(200);
    const numbers = body.cards.map(({ number }: { number: string }) => number);
    expect(numbers).toEqual(expect.arrayContaining(["4051885600446623", "5186059559590568", "4511346660037060"]));
    expect(body.people.map(({ rut }: { rut: string }) => rut)).toContain("40237731-3");
    expect(body.document_serials).toHaveLength(4);
    expect(body.faults.methods).toContainEqual({ party: "card-processor", method: "charge" });
    for (const entry of [...body.cards, ...body.people, ...body.document_serials, ...body.email_addresses]) {
      expect(entry.causes.length).toBeGreaterThan(10);
    }
  });

  it("401: without a credential, and with a public one", async () => {
    expect((await bff.callOrderApi(readSandboxCatalogue)).status).toBe(401);
    const answer = await bff.callOrderApi(readSandboxCatalogue, { as: bff.clinic, using: "client_id" });
    expect(answer).toMatchObject({ status: 401, body: { code: "invalid_credential" } });
  });

  it("is not on the widget host, nor on the spot API", async () => {
    const headers = { authorization: `Bearer ${bff.clinic.credentials.client_secret}` };
    for (const host of [bff.widgetHost, bff.spotApi]) {
      expect((await fetch(`${host}/sandbox/catalogue`, { headers })).status).toBe(404);
    }
  });
});
