import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandboxGateways } from "../../../sandbox/sandbox-gateways.ts";
import { sandboxEndpoints } from "../../../src/contract/sandbox-endpoints.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { phoneOf } from "../gateways/start-gateways.ts";

const { readSandboxNotices } = sandboxEndpoints;
let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
  const { messenger } = createSandboxGateways({
    db: bff.database.db,
    ids: systemIds,
    clock: bff.clock,
    challengeOrigin: bff.sandboxGateways,
    kill: () => undefined,
  });
  const providerId = bff.clinic.provider.id;
  for (const [index, to] of ["camila@example.com", "matias@example.com", "camila@example.com"].entries()) {
    bff.clock.advance(1_000);
    const email = { to, subject: `Aviso ${index}`, text: "Hola", html: "<p>Hola</p>" };
    await messenger.sendEmail({ messageId: `notice-${index}`, providerId, email });
  }
  for (const [index, number] of ["+56912345678", "+56923456781"].entries()) {
    bff.clock.advance(1_000);
    const message = { to: phoneOf(number), text: `Mensaje ${index}` };
    await messenger.sendMessage({ messageId: `message-${index}`, providerId, message });
  }
});
afterAll(() => bff.close());

const texts = ({ body }: { body: { messages: { text: string }[] } }) => body.messages.map(({ text }) => text);
const subjects = ({ body }: { body: { notices: { subject: string }[] } }) => body.notices.map(({ subject }) => subject);

describe("GET /sandbox/notices", () => {
  it("200: the tenant's patients' mail, newest first", async () => {
    const answer = await bff.callOrderApi(readSandboxNotices, { as: bff.clinic });
    expect(subjects(answer)).toEqual(["Aviso 2", "Aviso 1", "Aviso 0"]);
    expect(answer.body.notices[0]).toMatchObject({
      message_id: "notice-2",
      to: "camila@example.com",
      text: "Hola",
      html: "<p>Hola</p>",
      sent_at: new Date(bff.clock.now().getTime() - 2_000).toISOString(),
    });
  });

  it("200: the messages on their telephones, newest first", async () => {
    const { body } = await bff.callOrderApi(readSandboxNotices, { as: bff.clinic });
    expect(texts({ body })).toEqual(["Mensaje 1", "Mensaje 0"]);
    expect(body.messages[0]).toMatchObject({
      message_id: "message-1",
      to: "+56923456781",
      sent_at: bff.clock.now().toISOString(),
    });
  });

  it("200: only messages to one telephone, however it is written", async () => {
    const answer = await bff.callOrderApi(readSandboxNotices, { as: bff.clinic, query: { to: "+56 9 1234 5678" } });
    expect(texts(answer)).toEqual(["Mensaje 0"]);
    expect(subjects(answer)).toEqual([]);
  });

  it("200: only mails to one address, up to the limit", async () => {
    const query = { to: "camila@example.com", limit: "1" };
    const answer = await bff.callOrderApi(readSandboxNotices, { as: bff.clinic, query });
    expect(subjects(answer)).toEqual(["Aviso 2"]);
    expect(texts(answer)).toEqual([]);
  });

  it("200: nothing of another tenant's", async () => {
    const other = await bff.createProvider();
    const answer = await bff.callOrderApi(readSandboxNotices, { as: other });
    expect([...subjects(answer), ...texts(answer)]).toEqual([]);
  });

  it("401: without a client_secret", async () => {
    expect((await bff.callOrderApi(readSandboxNotices)).status).toBe(401);
  });

  it("422: an invalid limit", async () => {
    const answer = await bff.callOrderApi(readSandboxNotices, { as: bff.clinic, query: { limit: "0" } });
    expect(answer).toMatchObject({ status: 422, body: { code: "validation_error" } });
  });
});
