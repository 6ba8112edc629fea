import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkConnector } from "../../../connectors/kit/check/check-connector.ts";
import { testValuesSchema } from "../../../connectors/kit/check/test-values.ts";
import { createProbe } from "../../../connectors/kit/probe.ts";
import type { FaultKind } from "../../../connectors/kit/stand-in/faults.ts";
import { createWhatsappMessenger } from "../../../connectors/whatsapp/messenger.ts";
import { createWhatsappClient } from "../../../connectors/whatsapp/open-whatsapp.ts";
import { doDueWork } from "../../../connectors/whatsapp/send-by-sms.ts";
import { readWhatsappSettings } from "../../../connectors/whatsapp/settings.ts";
import { submitTemplates } from "../../../connectors/whatsapp/submit-templates.ts";
import { createWhatsappApi } from "../../../connectors/whatsapp/whatsapp-api.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../../src/contract/vocabulary/durations.ts";
import { phoneSchema } from "../../../src/contract/vocabulary/phone.ts";
import type { Message } from "../../../src/gateways/messenger.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { present } from "../orders/orders-world.ts";
import { listen } from "./connector-process.ts";
import { CONNECTOR_TOKEN, META, startWhatsapp, VERIFY_TOKEN, type WhatsappWorld } from "./start-whatsapp.ts";

let world: WhatsappWorld;
beforeAll(async () => {
  world = await startWhatsapp();
});
afterAll(() => world.stop());

const TEXT = "Clinica de prueba: recibimos $1.000, el resto de tu pago. No habra mas cobros. Revisa tu correo.";
const providerId = systemIds.uuid();
let numbers = 0;

/** A message to another telephone each time. */
function newMessage(): { readonly messageId: string; readonly providerId: string; readonly message: Message } {
  numbers += 1;
  const message: Message = {
    to: phoneSchema.parse(`+569${String(10_000_000 + numbers)}`),
    text: TEXT,
    template: { name: "paid_otherwise", language: "es-CL" },
    values: { clinic: "Clínica de prueba", amount: "$1.000" },
  };
  return { messageId: systemIds.uuid(), providerId, message };
}

/** What arrived on a telephone: by WhatsApp and by short message. */
function onPhone({ message: { to } }: { readonly message: Message }) {
  const byWhatsapp = world.standIn.arrived.filter((arrived) => arrived.to === to.slice(1));
  const bySms = world.sms.arrived.filter((arrived) => arrived.to === to);
  return { byWhatsapp, bySms, counts: [byWhatsapp.length, bySms.length] };
}

async function storedOf({ messageId }: { readonly messageId: string }) {
  const { rows } = await sql<{ readonly state: string; readonly content: unknown }>`
    select state, content from messages where idempotency_key = ${messageId}`.execute(world.whatsapp.db);
  return rows[0];
}

const sent = { outcome: "sent" };
const unknown = { outcome: "unknown" };

describe("the WhatsApp connector", () => {
  it("passes the connector check", async () => {
    const { clock, connectorUrl } = world;
    const probe = createProbe({ baseUrl: connectorUrl, deadlineMs: 30_000, answerBytesMax: 1024 * 1024 });
    const report = await checkConnector(
      {
        ...{ probe, clock, token: CONNECTOR_TOKEN, ids: systemIds },
        values: testValuesSchema.parse({}),
        wait: async (milliseconds) => clock.advance(milliseconds),
        returnWaitMs: 0,
        giveCard: null,
      },
      { url: connectorUrl, parties: ["messenger"], callbacks: null, callbackWaitMs: 0 },
    );
    await probe.close();
    expect(report.findings.filter(({ result }) => result !== "passed")).toEqual([]);
    expect(report.verdict).toBe("conforms");
  });

  it("submits each template once, and returns its status", async () => {
    const { standIn, whatsapp } = world;
    const before = standIn.templates.length;
    const submitted = await submitTemplates(whatsapp.api);
    expect(standIn.templates).toHaveLength(before);
    expect(submitted).toHaveLength(before);
    expect(new Set(submitted.map(({ status }) => status))).toEqual(new Set(["APPROVED"]));
  });
});

describe("a message", () => {
  it("is sent with its template and values, and once for its key", async () => {
    const asked = newMessage();
    expect(await world.messenger.sendMessage(asked)).toEqual(sent);
    expect(await world.messenger.sendMessage(asked)).toEqual(sent);
    const [arrived] = onPhone(asked).byWhatsapp;
    expect(arrived?.text).toBe(
      "Sobre tu atención en Clínica de prueba: recibimos $1.000, el resto de tu pago. No habrá más cobros. Revisa tu correo.",
    );
    expect(onPhone(asked).counts).toEqual([1, 0]);
  });

  it("goes by short message if it has no template, other values, or a one-time code", async () => {
    const { message, ...named } = newMessage();
    const code = { ...message, template: { name: "recognition_code", language: "es-CL" as const } };
    const { template: _template, ...bare } = message;
    for (const each of [code, bare, { ...message, values: { clinic: "Clínica" } }]) {
      const asked = { ...named, messageId: systemIds.uuid(), message: each };
      expect(await world.messenger.sendMessage(asked)).toEqual(sent);
      expect(world.sms.arrived.find(({ key }) => key === asked.messageId)?.text).toBe(TEXT);
    }
    expect(onPhone({ message }).byWhatsapp).toEqual([]);
  });

  it("loses its number and text once it is delivered", async () => {
    const asked = newMessage();
    await world.messenger.sendMessage(asked);
    expect(await storedOf(asked)).toMatchObject({ state: "accepted", content: { to: asked.message.to } });
    const [arrived] = onPhone(asked).byWhatsapp;
    expect(await world.notify(arrived ?? expect.unreachable(), "read")).toBe(200);
    expect(await storedOf(asked)).toEqual({ state: "delivered", content: null });
    expect(await world.notify(arrived ?? expect.unreachable(), "failed", 131026)).toBe(200);
    expect(onPhone(asked).counts).toEqual([1, 0]);
  });

  it("loses them after half an hour, whatever became of it", async () => {
    const asked = newMessage();
    await world.messenger.sendMessage(asked);
    world.clock.advance(HOUR_MS / 2 + 1);
    await doDueWork(world.whatsapp);
    expect(await storedOf(asked)).toEqual({ state: "accepted", content: null });
  });

  it("leaves no one-time code in the database, and sends it only while the service repeats the call", async () => {
    const asked = newMessage();
    const code = {
      ...asked,
      message: { ...asked.message, template: { name: "recovery_code", language: "en" as const } },
    };
    world.sms.trouble("error");
    expect(await world.messenger.sendMessage(code)).toEqual(unknown);
    expect(await storedOf(asked)).toEqual({ state: "by_sms", content: null });
    await doDueWork(world.whatsapp);
    expect(onPhone(asked).counts).toEqual([0, 0]);
    expect(await world.messenger.sendMessage(code)).toEqual(sent);
    expect(onPhone(asked).counts).toEqual([0, 1]);
  });
});

describe("a number that WhatsApp does not reach", () => {
  it.each([131026, 131049, 130472])("gets the short message if Meta refuses it at once (%i)", async (code) => {
    const asked = newMessage();
    world.standIn.refuse(asked.message.to.slice(1), code);
    expect(await world.messenger.sendMessage(asked)).toEqual(sent);
    expect(await world.messenger.sendMessage(asked)).toEqual(sent);
    expect(onPhone(asked).counts).toEqual([0, 1]);
    expect(await storedOf(asked)).toEqual({ state: "sent_by_sms", content: null });
  });

  it("gets the short message once if Meta reports it later, and repeats its report", async () => {
    const asked = newMessage();
    await world.messenger.sendMessage(asked);
    const [arrived] = onPhone(asked).byWhatsapp;
    world.sms.trouble("error");
    for (const _ of [1, 2]) await world.notify(arrived ?? expect.unreachable(), "failed", 131026);
    await doDueWork(world.whatsapp);
    await expect.poll(() => onPhone(asked).bySms.length).toBe(1);
    expect(await world.messenger.sendMessage(asked)).toEqual(sent);
    expect(onPhone(asked).counts).toEqual([1, 1]);
  });

  it("waits while the fallback is down, which is asked about one message at a time", async () => {
    const waiting = [newMessage(), newMessage()] as const;
    for (const asked of waiting) {
      world.standIn.refuse(asked.message.to.slice(1), 131026);
      world.sms.trouble("error");
      expect(await world.messenger.sendMessage(asked)).toEqual(unknown);
    }
    const before = world.sms.keys.length;
    world.sms.trouble("error");
    await doDueWork(world.whatsapp);
    expect(world.sms.keys).toHaveLength(before + 1);
    await doDueWork(world.whatsapp);
    for (const asked of waiting) expect(onPhone(asked).counts).toEqual([0, 1]);
  });

  it("waits for no other one, for which alone the fallback fails", async () => {
    const [failing, other] = [newMessage(), newMessage()];
    for (const asked of [failing, other]) {
      world.standIn.refuse(asked.message.to.slice(1), 131026);
      world.sms.trouble("error");
      await world.messenger.sendMessage(asked);
      world.clock.advance(SECOND_MS);
    }
    world.sms.failFor(failing.message.to);
    await doDueWork(world.whatsapp);
    world.clock.advance(SECOND_MS);
    await doDueWork(world.whatsapp);
    expect(onPhone(other).counts).toEqual([0, 1]);
    world.clock.advance(2 * DAY_MS);
    await doDueWork(world.whatsapp);
  });

  it("gets no short message of the connector's own an hour later, if the fallback was down until then", async () => {
    const asked = newMessage();
    world.standIn.refuse(asked.message.to.slice(1), 131026);
    world.sms.trouble("error");
    expect(await world.messenger.sendMessage(asked)).toEqual(unknown);
    world.clock.advance(HOUR_MS);
    await doDueWork(world.whatsapp);
    expect(onPhone(asked).counts).toEqual([0, 0]);
    expect(await storedOf(asked)).toEqual({ state: "by_sms", content: null });
    world.clock.advance(2 * DAY_MS);
    await doDueWork(world.whatsapp);
    expect(await world.messenger.sendMessage(asked)).toEqual({ outcome: "refused", reason: "number_unreachable" });
  });

  it("gets no short message an hour later, when it may be night", async () => {
    const asked = newMessage();
    await world.messenger.sendMessage(asked);
    world.clock.advance(HOUR_MS);
    const [arrived] = onPhone(asked).byWhatsapp;
    await world.notify(arrived ?? expect.unreachable(), "failed", 131026);
    expect(await world.messenger.sendMessage(asked)).toEqual({ outcome: "refused", reason: "number_unreachable" });
    expect(onPhone(asked).bySms).toEqual([]);
  });

  it("is refused with the fallback's reason", async () => {
    const asked = newMessage();
    world.standIn.refuse(asked.message.to.slice(1), 131026);
    world.sms.trouble("refused");
    const refused = { outcome: "refused", reason: "number_unreachable" };
    expect(await world.messenger.sendMessage(asked)).toEqual(refused);
    expect(await world.messenger.sendMessage(asked)).toEqual(refused);
    expect(onPhone(asked).counts).toEqual([0, 0]);
  });

  it("gets nothing by any way if its owner has opted out", async () => {
    const asked = newMessage();
    world.standIn.refuse(asked.message.to.slice(1), 131050);
    expect(await world.messenger.sendMessage(asked)).toEqual({ outcome: "refused", reason: "opted_out" });
    expect(onPhone(asked).counts).toEqual([0, 0]);
  });
});

describe("Meta", () => {
  it.each([130429, 131000, 131056])("a temporary refusal (%i) is followed by a repeat", async (code) => {
    const asked = newMessage();
    world.standIn.refuse(asked.message.to.slice(1), code);
    expect(await world.messenger.sendMessage(asked)).toEqual(unknown);
    expect(await storedOf(asked)).toMatchObject({ state: "planned" });
    world.standIn.refuse(asked.message.to.slice(1), 131026);
    expect(await world.messenger.sendMessage(asked)).toEqual(sent);
    expect(onPhone(asked).counts).toEqual([0, 1]);
  });

  it.each([132015, 131042, 190])(
    "a refusal of the template or account (%i) is reported, and the message goes by SMS",
    async (code) => {
      const asked = newMessage();
      world.standIn.refuse(asked.message.to.slice(1), code);
      expect(await world.messenger.sendMessage(asked)).toEqual(sent);
      expect(onPhone(asked).counts).toEqual([0, 1]);
      const report = world.log.find(
        (line) => line.includes("whatsapp.message_refused") && line.includes(asked.messageId),
      );
      expect(report).toContain(`meta_${code}`);
    },
  );
});

describe("an answer of Meta that is none", () => {
  it.each<[FaultKind, count: number]>([
    ["lost", 1],
    ["dropped", 0],
    ["error", 1],
    ["failed", 0],
    ["redirect", 1],
    ["html", 1],
    ["twice", 2],
  ])("(%s) is never repeated: the message stays unknown until Meta reports it", async (fault, count) => {
    const asked = newMessage();
    world.standIn.faults.add("send", fault);
    const outcome = fault === "twice" ? sent : unknown;
    for (const _ of [1, 2, 3]) expect(await world.messenger.sendMessage(asked)).toEqual(outcome);
    expect(onPhone(asked).counts).toEqual([count, 0]);
    for (const arrived of onPhone(asked).byWhatsapp) await world.notify(arrived, "sent");
    expect(await world.messenger.sendMessage(asked)).toEqual(count > 0 ? sent : unknown);
    expect(onPhone(asked).counts).toEqual([count, 0]);
  });

  it("is followed by the short message if Meta reports that it failed", async () => {
    const asked = newMessage();
    world.standIn.faults.add("send", "lost");
    await world.messenger.sendMessage(asked);
    const [arrived] = onPhone(asked).byWhatsapp;
    await world.notify(arrived ?? expect.unreachable(), "failed", 131026);
    await expect.poll(() => onPhone(asked).bySms.length).toBe(1);
    expect(await world.messenger.sendMessage(asked)).toEqual(sent);
  });
});

describe("a process that dies", () => {
  it.each([
    ["before", 0],
    ["after", 1],
  ] as const)("%s its request to Meta sends at most one message", async (death, count) => {
    const asked = newMessage();
    world.dieAt(death, "meta");
    void world.messenger.sendMessage(asked);
    await expect.poll(() => world.isDead()).toBe(true);
    world.restart();
    for (const _ of [1, 2]) expect(await world.messenger.sendMessage(asked)).toEqual(unknown);
    for (const arrived of onPhone(asked).byWhatsapp) await world.notify(arrived, "delivered");
    expect(await world.messenger.sendMessage(asked)).toEqual(count === 1 ? sent : unknown);
    expect(onPhone(asked).counts).toEqual([count, 0]);
  });

  it.each(["before", "after"] as const)("%s its request to the fallback sends one short message", async (death) => {
    const asked = newMessage();
    world.standIn.refuse(asked.message.to.slice(1), 131026);
    world.dieAt(death, "sms");
    void world.messenger.sendMessage(asked);
    await expect.poll(() => world.isDead()).toBe(true);
    world.restart();
    await doDueWork(world.whatsapp);
    expect(await world.messenger.sendMessage(asked)).toEqual(sent);
    expect(onPhone(asked).counts).toEqual([0, 1]);
  });

  it.each(["before", "after"] as const)(
    "%s it gives a failed message to the fallback sends one short message",
    async (death) => {
      const asked = newMessage();
      await world.messenger.sendMessage(asked);
      const [arrived] = onPhone(asked).byWhatsapp;
      world.dieAt(death, "sms");
      expect(await world.notify(arrived ?? expect.unreachable(), "failed", 131026)).toBe(200);
      await expect.poll(() => world.isDead()).toBe(true);
      world.restart();
      await doDueWork(world.whatsapp);
      expect(onPhone(asked).counts).toEqual([1, 1]);
    },
  );
});

describe("Meta out of reach", () => {
  it("has got nothing, so that a repeat sends the message once", async () => {
    const asked = newMessage();
    const nowhere = await listen();
    await nowhere.close();
    const client = createWhatsappClient({ baseUrl: nowhere.url, accessToken: META.accessToken });
    const whatsapp = { ...world.whatsapp, api: createWhatsappApi({ client, ...META }) };
    expect(await createWhatsappMessenger(whatsapp).sendMessage(asked)).toEqual(unknown);
    expect(await storedOf(asked)).toMatchObject({ state: "planned" });
    expect(await world.messenger.sendMessage(asked)).toEqual(sent);
    expect(onPhone(asked).counts).toEqual([1, 0]);
    await client.close();
  });
});

describe("a connector without a fallback", () => {
  it("refuses a message to a number without WhatsApp, and waits for a corrected template", async () => {
    const messenger = createWhatsappMessenger({ ...world.whatsapp, fallback: null });
    const [unreached, waiting, code] = [newMessage(), newMessage(), newMessage()];
    world.standIn.refuse(unreached.message.to.slice(1), 131026);
    world.standIn.refuse(waiting.message.to.slice(1), 132015);
    const refused = { outcome: "refused", reason: "number_unreachable" };
    expect(await messenger.sendMessage(unreached)).toEqual(refused);
    expect(await messenger.sendMessage(waiting)).toEqual(unknown);
    expect(await storedOf(waiting)).toMatchObject({ state: "planned" });
    const template = { name: "recognition_code", language: "en" as const };
    expect(await messenger.sendMessage({ ...code, message: { ...code.message, template } })).toEqual(refused);
  });
});

describe("sending", () => {
  it("happens once if two processes get the same message at once", async () => {
    const asked = newMessage();
    const first = world.messenger;
    world.restart();
    await Promise.all([first.sendMessage(asked), world.messenger.sendMessage(asked), first.sendMessage(asked)]);
    expect(await world.messenger.sendMessage(asked)).toEqual(sent);
    expect(onPhone(asked).counts).toEqual([1, 0]);
  });
});

describe("a notification", () => {
  const post = (body: string, headers: Record<string, string>) =>
    fetch(world.webhookUrl, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });

  it("is refused unless Meta signed its exact body, and changes nothing", async () => {
    const asked = newMessage();
    await world.messenger.sendMessage(asked);
    const [arrived] = onPhone(asked).byWhatsapp;
    const { body, headers } = world.standIn.notify(arrived ?? expect.unreachable(), "failed", 131026);
    const signature = headers["x-hub-signature-256"] ?? "";
    for (const wrong of ["", signature.slice(0, -1), signature.replace("sha256=", "sha1="), `sha256=${"0".repeat(64)}`])
      expect((await post(body, { "x-hub-signature-256": wrong })).status).toBe(401);
    expect((await post(body.replace("131026", "131027"), { "x-hub-signature-256": signature })).status).toBe(401);
    expect(await storedOf(asked)).toMatchObject({ state: "accepted" });
  });

  it("about an unknown message, or of another kind, is acknowledged", async () => {
    const foreign = { name: "another-program", wamid: "wamid.unknown", to: "56911111111", text: "" };
    expect(await world.notify(foreign, "failed", 131026)).toBe(200);
  });

  it("about two messages is acknowledged, and changes neither", async () => {
    const both = [newMessage(), newMessage()] as const;
    for (const asked of both) await world.messenger.sendMessage(asked);
    const [named, identified] = both.map((asked) => onPhone(asked).byWhatsapp[0] ?? expect.unreachable());
    for (const status of ["delivered", "failed"] as const)
      expect(await world.notify({ ...present(named), wamid: present(identified).wamid }, status, 131026)).toBe(200);
    for (const asked of both) expect(await storedOf(asked)).toMatchObject({ state: "accepted" });
  });

  it("is acknowledged if one status cannot be read, and the others count", async () => {
    const asked = newMessage();
    await world.messenger.sendMessage(asked);
    const [arrived] = onPhone(asked).byWhatsapp;
    const { body } = world.standIn.notify(present(arrived), "delivered");
    const notified = JSON.parse(body) as { entry: { changes: { value: { statuses: object[] } }[] }[] };
    const statuses = present(notified.entry[0]?.changes[0]).value.statuses;
    statuses.unshift({ ...statuses[0], id: "a\0b" }, { ...statuses[0], biz_opaque_callback_data: "a\0b" }, {});
    const text = JSON.stringify(notified);
    const signature = createHmac("sha256", META.appSecret).update(text).digest("hex");
    expect((await post(text, { "x-hub-signature-256": `sha256=${signature}` })).status).toBe(200);
    expect(await storedOf(asked)).toMatchObject({ state: "delivered" });
  });

  it("is announced to Meta only with the verify token", async () => {
    const verify = (token: string, challenge = "1158201444") =>
      fetch(`${world.webhookUrl}?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=${challenge}`);
    const verified = await verify(VERIFY_TOKEN);
    expect([verified.status, await verified.text()]).toEqual([200, "1158201444"]);
    expect((await verify("otro-token")).status).toBe(403);
    expect((await verify(VERIFY_TOKEN, "<script>")).status).toBe(403);
  });
});

describe("the settings", () => {
  const SETTINGS = {
    CONNECTOR_PORT: "0",
    CONNECTOR_TOKEN,
    CONNECTOR_DATABASE_URL: "memory://",
    WHATSAPP_ACCESS_TOKEN: META.accessToken,
    WHATSAPP_PHONE_NUMBER_ID: META.phoneNumberId,
    WHATSAPP_BUSINESS_ACCOUNT_ID: META.accountId,
    WHATSAPP_APP_SECRET: META.appSecret,
    WHATSAPP_VERIFY_TOKEN: VERIFY_TOKEN,
  };

  it("are refused by name, without their values", () => {
    const wrong = { ...SETTINGS, WHATSAPP_APP_SECRET: "un-secreto", WHATSAPP_PHONE_NUMBER_ID: "+56 9 1234" };
    expect(() => readWhatsappSettings(wrong)).toThrow(/WHATSAPP_PHONE_NUMBER_ID: .*\nWHATSAPP_APP_SECRET: /);
    expect(() => readWhatsappSettings(wrong)).not.toThrow(/un-secreto|1234/);
    const half = { ...SETTINGS, WHATSAPP_FALLBACK_URL: "https://sms.example/v1" };
    expect(() => readWhatsappSettings(half)).toThrow(/WHATSAPP_FALLBACK_URL: .*WHATSAPP_FALLBACK_TOKEN/);
    expect(readWhatsappSettings(SETTINGS)).toMatchObject({
      fallback: null,
      party: { baseUrl: "https://graph.facebook.com/v23.0" },
    });
  });
});

describe("the log", () => {
  it("holds no token, secret, number or text", () => {
    const written = world.log.join("\n");
    expect(written).toContain("whatsapp.message_undeliverable");
    for (const secret of [META.accessToken, META.appSecret, VERIFY_TOKEN, CONNECTOR_TOKEN, "5691000", "$1.000"])
      expect(written).not.toContain(secret);
  });
});

describe("the connector's first migration", () => {
  it("is the kit's", async () => {
    const read = (path: string) => readFile(new URL(`../../../connectors/${path}`, import.meta.url), "utf8");
    expect(await read("whatsapp/migrations/0001_calls.sql")).toBe(await read("../packages/connector-kit/calls.sql"));
  });
});
