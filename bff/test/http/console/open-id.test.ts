import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addOperator } from "../../../src/back-office/operators/add-operator.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { type ConsoleAnswer, type ConsoleBrowser, consoleBrowser } from "./console-browser.ts";
import { type Saying, startOpenIdService } from "./open-id-service.ts";

const CLIENT = { id: "console", secret: "planted-client-secret-4711" };
let service: Awaited<ReturnType<typeof startOpenIdService>>;
let bff: TestBff;
beforeAll(async () => {
  service = await startOpenIdService(CLIENT);
  bff = await startBff({
    // The service's tokens use real time, because every outside party has its own clock.
    now: new Date(),
    environment: {
      OPERATOR_SIGN_IN_ISSUER: service.issuer,
      OPERATOR_SIGN_IN_CLIENT_ID: CLIENT.id,
      OPERATOR_SIGN_IN_CLIENT_SECRET: CLIENT.secret,
    },
  });
  const operations = { db: bff.database.db, clock: bff.clock, ids: systemIds, keyring: bff.context.keyring };
  const email = "Camila.Rojas@example.com";
  await addOperator(operations, { name: "camila.rojas", role: "finance", email, actor: "keyring:root" });
});
afterAll(async () => {
  await bff.close();
  await service.close();
});

const KNOWN = { email: "camila.rojas@example.com", email_verified: true };

/** Goes to the sign-in service and back. `meddle` may change the address to which the browser returns. */
async function signIn(
  saying: Saying,
  browser: ConsoleBrowser = consoleBrowser(bff),
  meddle: (address: URL) => void = () => undefined,
): Promise<ConsoleAnswer> {
  service.say(saying);
  const sent = await browser.send("/sign-in/open-id", {});
  const away = sent.headers.get("location") ?? "";
  expect([sent.status, away.startsWith(`${service.issuer}/authorize`), away.includes(CLIENT.secret)]).toEqual([
    303,
    true,
    false,
  ]);
  const back = await fetch(away, { redirect: "manual" });
  const address = new URL(back.headers.get("location") ?? "");
  meddle(address);
  return browser.open(`${address.pathname}${address.search}`);
}

it("an operator whom the sign-in service confirms is signed in with their role", async () => {
  const browser = consoleBrowser(bff);
  expect((await browser.open("/sign-in")).text).toContain("Usa la cuenta de tu organización");
  const signed = await signIn({ claims: KNOWN }, browser);
  expect([signed.status, signed.headers.get("location")]).toEqual([303, "/"]);
  expect((await browser.open("/")).text).toContain("camila.rojas · finanzas");
  expect([...browser.cookies.keys()]).toEqual(["aapd_operator"]);
  const rows = await bff.database.db
    .selectFrom("audit_log")
    .select(["actor", "details"])
    .where("act", "=", "operator.signed_in")
    .execute();
  expect(rows).toEqual([{ actor: "operator:camila.rojas", details: { by: "open_id" } }]);
});

describe("sign-in is refused", () => {
  it.each<[string, Saying]>([
    ["whose address the service has not confirmed", { claims: { ...KNOWN, email_verified: false } }],
    ["without an address", { claims: {} }],
    ["whom nobody has added", { claims: { ...KNOWN, email: "stranger@example.com" } }],
    ["by a token for another client", { claims: KNOWN, audience: "another" }],
    ["by a token of another service", { claims: KNOWN, issuer: "https://elsewhere.example.com" }],
    ["by a token that another key has signed", { claims: KNOWN, foreignKey: true }],
    ["by a token that answers another question", { claims: KNOWN, nonce: "replayed" }],
    ["by a code that the service refuses", { claims: KNOWN, refusesCode: true }],
  ])("%s", async (_who, saying) => {
    const browser = consoleBrowser(bff);
    const refused = await signIn(saying, browser);
    expect([refused.status, browser.cookies.size]).toEqual([403, 0]);
    expect(refused.text).not.toContain(CLIENT.secret);
  });

  it("to an answer with another state, and to a browser that started no sign-in", async () => {
    const meddled = await signIn({ claims: KNOWN }, consoleBrowser(bff), (address) =>
      address.searchParams.set("state", "x"),
    );
    expect(meddled.status).toBe(403);
    expect((await consoleBrowser(bff).open("/sign-in/open-id/callback?code=x&state=y")).status).toBe(403);
  });

  it("to a browser that returns after ten minutes", async () => {
    const browser = consoleBrowser(bff);
    const late = await signIn({ claims: KNOWN }, browser, () =>
      bff.clock.set(new Date(bff.clock.now().getTime() + 600_000)),
    );
    expect(late.status).toBe(403);
  });
});

it("an unavailable sign-in service is reported, and the next sign-in calls it again", async () => {
  const gone = await startOpenIdService(CLIENT);
  await gone.close();
  const alone = await startBff({
    environment: {
      OPERATOR_SIGN_IN_ISSUER: gone.issuer,
      OPERATOR_SIGN_IN_CLIENT_ID: CLIENT.id,
      OPERATOR_SIGN_IN_CLIENT_SECRET: CLIENT.secret,
    },
  });
  const answer = await consoleBrowser(alone).send("/sign-in/open-id", {});
  expect([answer.status, answer.text.includes("El servicio de ingreso no responde")]).toEqual([503, true]);
  await alone.close();
});
