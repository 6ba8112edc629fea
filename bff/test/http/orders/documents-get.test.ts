import { extractText } from "unpdf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import type { OrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import type { MailAttachment } from "../../../src/gateways/messenger.ts";
import { SEND_NOTIFICATION_TIMER } from "../../../src/notifications/notify-patient.ts";
import { notificationTimerHandlers } from "../../../src/notifications/work.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { type Checkout, checkoutOf, NO_HASH } from "./checkout.ts";

let bff: TestBff;
let checkout: Checkout;
let isServerDown = false;
/** The attachments of sent mails, by subject. */
const sent = new Map<string, readonly MailAttachment[] | null>();
beforeAll(async () => {
  bff = await startBff({
    parties: {
      messenger: {
        async sendEmail({ email }) {
          if (isServerDown) return { outcome: "unknown" };
          sent.set(email.subject, (await email.attachments?.()) ?? null);
          return { outcome: "sent" };
        },
        sendMessage: async () => ({ outcome: "sent" }),
      },
    },
  });
  checkout = checkoutOf(bff);
});
afterAll(() => bff.close());

const TIMER_CONTEXT = { finish: async () => undefined, signal: new AbortController().signal };

const bytesOf = ({ base64 }: { readonly base64: string }) => new Uint8Array(Buffer.from(base64, "base64"));

async function wordsOf(file: { readonly base64: string }): Promise<string> {
  const { text } = await extractText(bytesOf(file), { mergePages: true });
  return text.replaceAll(/\s+/g, " ");
}

describe.each(["printReceipt", "readCalendarEntry"] as const)("GET %s", (name) => {
  const call = (hash: string, query: Record<string, string> = {}) =>
    bff.callWidgetHost(orderEndpoints[name], { as: bff.clinic, params: { hash }, query });

  it("answers 404 for an order that does not exist, 422 for an unknown language and 401 without client_id", async () => {
    const hash = await checkout.newOrder();
    const anonymous = await bff.callWidgetHost(orderEndpoints[name], { params: { hash } });
    expect([(await call(NO_HASH)).status, (await call(hash, { locale: "fr" })).status, anonymous.status]).toEqual([
      404, 422, 401,
    ]);
  });

  it("answers 409 for an order that is not paid", async () => {
    const { status, body } = await call(await checkout.newOrder());
    expect([status, body.code]).toEqual([409, "order_not_payable"]);
  });
});

it("a receipt of a paid order names payment, second charge, lender and contacts, in either language", async () => {
  const hash = await checkout.paidOrder();
  const read = (locale: string) =>
    bff.callWidgetHost(orderEndpoints.printReceipt, { as: bff.clinic, params: { hash }, query: { locale } });
  const { status, body } = await read("es-CL");
  expect([status, body.name, body.type]).toEqual([200, "comprobante.pdf", "application/pdf"]);
  const words = await wordsOf(body);
  for (const fact of ["$12.000", "$30.800", "5 de enero de 2027", "Lo financia", bff.clinic.provider.supportEmail])
    expect(words).toContain(fact);
  expect(await wordsOf((await read("en")).body)).toContain("Payment receipt");
});

it("a calendar entry of a paid order is on the last day of the second charge", async () => {
  const hash = await checkout.paidOrder();
  const { status, body } = await bff.callWidgetHost(orderEndpoints.readCalendarEntry, {
    as: bff.clinic,
    params: { hash },
  });
  expect([status, body.name, body.type]).toEqual([200, "segundo-cobro.ics", "text/calendar"]);
  expect(Buffer.from(body.base64, "base64").toString()).toContain("DTSTART;VALUE=DATE:20270105\r\n");
});

it("the mail after a payment attaches receipt, contract and calendar entry; a mail with a code attaches nothing", async () => {
  await checkout.paidOrder();
  await bff.runDue();
  const files = sent.get(`Tu pago en ${bff.clinic.provider.name}`) ?? [];
  expect(files.map(({ name }) => name)).toEqual(["comprobante.pdf", "contrato.pdf", "segundo-cobro.ics"]);
  const [receipt, contract] = files;
  expect(await wordsOf(receipt ?? { base64: "" })).toContain("Comprobante de pago");
  expect(await wordsOf(contract ?? { base64: "" })).toContain("Aceptado electrónicamente");
});

it("a mail whose files cannot be made waits 21 minutes for them, then is sent without them and says where they are", async () => {
  isServerDown = true;
  const hash = await checkout.paidOrder();
  await bff.runDue();
  const { db } = bff.database;
  const { id } = await db
    .selectFrom("notices")
    .select("id")
    .where("order_id", "=", hash as OrderId)
    .where("kind", "=", "payment_receipt")
    .where("channel", "=", "email")
    .executeTakeFirstOrThrow();
  const mails: string[] = [];
  const { [SEND_NOTIFICATION_TIMER]: send } = notificationTimerHandlers({
    ...bff.context,
    db,
    makeDocuments: () => Promise.reject(new Error("the printer is down")),
    messenger: {
      async sendEmail({ email: { text, html, attachments } }) {
        if ((await attachments?.()) === null) return { outcome: "unknown" };
        mails.push(text, html);
        return { outcome: "sent" };
      },
      sendMessage: async () => ({ outcome: "sent" }),
    },
  });
  const timerOf = (tries: number) => ({
    ...{
      kind: SEND_NOTIFICATION_TIMER,
      key: id,
      providerId: bff.clinic.provider.id,
      dueAt: bff.clock.now(),
      attempts: 1,
    },
    ...{ payload: { notice_id: id, tries }, traceparent: null, leaseId: systemIds.uuid() },
  });
  const start = bff.clock.now().getTime();
  let waited = 0;
  for (const tries of [0, 1, 2]) {
    const again = await send?.(timerOf(tries), TIMER_CONTEXT);
    if (typeof again !== "object" || !("again" in again)) throw new Error("The mail did not wait.");
    waited += again.again.getTime() - start;
  }
  expect([waited, mails]).toEqual([21 * 60_000, []]);
  await send?.(timerOf(3), TIMER_CONTEXT);
  expect(mails).toHaveLength(2);
  for (const mail of mails) {
    expect(mail).toContain("En «Ver mi pago» puedes descargar tu comprobante y tu contrato.");
    expect(mail).not.toContain("Adjunto");
  }
});
