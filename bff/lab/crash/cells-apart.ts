import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { parseRut } from "../../src/contract/vocabulary/rut.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { silentLogger } from "../../src/platform/logger.ts";
import { listProviders } from "../../src/tenants/providers.ts";
import { registerPatient } from "../../test/registered-patient.ts";
import { clinicAt, issuedCredential, type ProductionUrls, type Purchase, statusOfRefusal } from "./buy-once.ts";
import type { Clinic } from "./cell.ts";

/** A clinic, and an order that one of its patients has paid. */
export interface Paid {
  readonly clinic: Clinic;
  readonly purchase: Purchase;
}

/** The RUT of the patient of every purchase. */
const PATIENT = "11.111.111-1";
const RECEIPT = {
  name: "boleta.pdf",
  type: "application/pdf",
  bytes: new TextEncoder().encode("%PDF-1.4\n%%EOF\n"),
} as const;

interface Asked {
  readonly what: string;
  readonly url: string;
  readonly init: RequestInit;
}

/**
 * One call with each kind of credential that identifies a caller, about an order of the clinic, and the page of its
 * token.
 */
function calls(
  urls: ProductionUrls,
  issued: string,
  { hash, widgetToken }: Pick<Purchase, "hash" | "widgetToken">,
): Asked[] {
  const bearer = (kind: "client_secret" | "client_id") => ({
    headers: { authorization: `Bearer ${issuedCredential(issued, kind)}` },
  });
  const publicKey = issuedCredential(issued, "public_key");
  const secretKey = { headers: { "x-secret-key": issuedCredential(issued, "secret_key") } };
  const minting = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
  const page = `${urls.widget}/?widget_token=${widgetToken}&public_key=${publicKey}&order_token=${hash}`;
  return [
    { what: "client_secret", url: `${urls.order}/orders/${hash}`, init: bearer("client_secret") },
    { what: "client_id", url: `${urls.order}/orders/${hash}`, init: bearer("client_id") },
    { what: "client_id at the widget host", url: `${urls.widget}/orders/${hash}`, init: bearer("client_id") },
    { what: "public_key", url: `${urls.spot}/api/spot/widget?public_key=${publicKey}`, init: minting },
    { what: "secret_key", url: `${urls.spot}/api/events?public_key=${publicKey}`, init: secretKey },
    { what: "the page", url: page, init: {} },
  ];
}

/** The answer's status and body, without values that differ between any two requests. */
async function answerTo({ url, init }: Asked): Promise<string> {
  const response = await fetch(url, init);
  const body = await response.text();
  return `${response.status} ${body.replaceAll(/"request_id":"[^"]+"|nonce="[^"]+"/g, "")}`;
}

/** A well-formed credential that was never issued. */
function madeUp(text: string): string {
  return text.replaceAll(/[a-z]/g, (letter) => (letter === "z" ? "a" : String.fromCharCode(letter.charCodeAt(0) + 1)));
}

function madeUpCredentials(issued: string): string {
  return issued.replaceAll(
    /\b(cs_|ci_|PK_|ak_)(\S+)/g,
    (_whole, prefix: string, rest: string) => prefix + madeUp(rest),
  );
}

/**
 * The differences between another cell's answers to this cell's credentials and its answers to credentials that were
 * never issued.
 */
export async function credentialsElsewhere({ clinic, purchase }: Paid, other: Clinic): Promise<string[]> {
  const { urls } = other.cell;
  const real = calls(urls, clinic.issued, purchase);
  const strangers = calls(urls, madeUpCredentials(clinic.issued), {
    ...purchase,
    widgetToken: madeUp(purchase.widgetToken),
  });
  const wrong: string[] = [];
  for (const [place, asked] of real.entries()) {
    const answer = await answerTo(asked);
    const toStranger = await answerTo(strangers[place] ?? asked);
    const isRefused = asked.what === "the page" || answer.startsWith("401 ");
    if (!isRefused || answer !== toStranger)
      wrong.push(`${asked.what} of ${clinic.cell.name} at ${other.cell.name}: ${answer.slice(0, 200)}`);
  }
  return wrong;
}

/** The answer to a clinic that asks about an order of another cell. */
export async function orderElsewhere({ purchase: { hash } }: Paid, other: Clinic): Promise<string[]> {
  const found = await clinicAt(other.cell.urls, other.issued)
    .getOrder(hash)
    .then(
      () => "found",
      (error: unknown) => `${statusOfRefusal(error)}`,
    );
  return found === "404" ? [] : [`an order of another cell at ${other.cell.name}: ${found}`];
}

/** Registers the patient in the clinic's cell, under an address that names the cell. */
export async function registerInCell({ cell, rut }: Clinic): Promise<void> {
  const database = await openDatabase({ url: cell.databaseUrl, connectionsMax: 2 }, silentLogger);
  try {
    const [provider] = await listProviders(database.db, "staging", parseRut(rut));
    if (provider === undefined) throw new Error(`${cell.name} has no provider with the RUT ${rut}.`);
    await registerPatient(
      { database, clock: systemClock },
      { provider },
      { rut: PATIENT, email: addressIn(cell.name) },
    );
  } finally {
    await database.close();
  }
}

/**
 * The patient's address in a cell. If a cell knew the other's record, it would refuse the payment, because the RUT has
 * another address.
 */
export const addressIn = (cell: string) => `camila@${cell}.example.com`;

/**
 * The receipts of a paid order: the signed one, which only its own cell's keys verify, and the clinic's, from which its
 * own cell files the claim.
 */
export async function receiptsApart({ clinic, purchase: { hash } }: Paid, other: Clinic): Promise<string[]> {
  const read = await fetch(`${clinic.cell.urls.order}/orders/${hash}`, {
    headers: { authorization: `Bearer ${issuedCredential(clinic.issued, "client_id")}` },
  });
  const { signed_receipt: signed } = (await read.json()) as { signed_receipt: string };
  const isVerified = async ({ cell }: Clinic) => {
    const keys = (await (await fetch(`${cell.urls.order}/.well-known/jwks.json`)).json()) as JSONWebKeySet;
    return jwtVerify(signed, createLocalJWKSet(keys)).then(
      () => true,
      () => false,
    );
  };
  const isTaken = ({ cell, issued }: Clinic) =>
    clinicAt(cell.urls, issued)
      .submitExpense({ rut: PATIENT, orderHash: hash, files: [RECEIPT] })
      .then(
        () => "taken",
        (error: unknown) => `${statusOfRefusal(error)}`,
      );
  const found = [await isVerified(clinic), await isVerified(other), await isTaken(other), await isTaken(clinic)];
  const wanted = [true, false, "400", "taken"];
  return found.join() === wanted.join()
    ? []
    : [`receipts of ${clinic.cell.name}: ${found.join()} instead of ${wanted.join()}`];
}

/** Reads the patient's data in each cell, and again in the second after the first has erased its own. */
export async function patientsApart(one: Paid, another: Paid): Promise<string[]> {
  const kept = ({ clinic: { cell, rut } }: Paid) =>
    cell.aapd("patients", "export", PATIENT, "--provider", rut, "--json");
  const hasOnly = async (own: Paid, foreign: Paid) => {
    const text = await kept(own);
    const isWhole = text.includes(own.purchase.hash) && text.includes(addressIn(own.clinic.cell.name));
    const isMixed = text.includes(foreign.purchase.hash) || text.includes(addressIn(foreign.clinic.cell.name));
    return isWhole && !isMixed ? [] : [`what ${own.clinic.cell.name} keeps of a patient: ${text.slice(0, 200)}`];
  };
  const wrong = [...(await hasOnly(one, another)), ...(await hasOnly(another, one))];
  await one.clinic.cell.aapd("patients", "erase", PATIENT, "--provider", one.clinic.rut);
  return [...wrong, ...(await hasOnly(another, one))];
}
