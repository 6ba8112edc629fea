import { extractText } from "unpdf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import type { MailAttachment } from "../../../src/gateways/messenger.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { type Checkout, checkoutOf, NO_HASH } from "./checkout.ts";

let bff: TestBff;
let checkout: Checkout;
/** The files of the mails that were sent, by subject. */
const sent = new Map<string, readonly MailAttachment[] | null>();
beforeAll(async () => {
  bff = await startBff({
    parties: {
      messenger: {
        async sendEmail({ email }) {
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

it("the mail after a payment brings receipt, contract and calendar entry, and one of a code brings nothing", async () => {
  await checkout.paidOrder();
  await bff.runDue();
  const files = sent.get(`Tu pago en ${bff.clinic.provider.name}`) ?? [];
  expect(files.map(({ name }) => name)).toEqual(["comprobante.pdf", "contrato.pdf", "segundo-cobro.ics"]);
  const [receipt, contract] = files;
  expect(await wordsOf(receipt ?? { base64: "" })).toContain("Comprobante de pago");
  expect(await wordsOf(contract ?? { base64: "" })).toContain("Aceptado electrónicamente");
});
