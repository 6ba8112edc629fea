import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHALLENGE_ENDED_MESSAGE } from "../../../sandbox/card-processor/challenge-page.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { withoutDrawnNames } from "../../without-drawn-names.ts";
import {
  callOf,
  cardFor,
  newOrderId,
  next,
  type StartedGateways,
  seal,
  startGateways,
} from "../gateways/start-gateways.ts";

let started: StartedGateways;
beforeAll(async () => {
  started = await startGateways();
});
afterAll(() => started.stop());

async function challenge(returnUrl = "https://widget.example.com/return?x=1&y=2") {
  const { cardProcessor } = started.sandbox;
  const orderId = newOrderId();
  const call = callOf({ at: started.clock.now() });
  const sealedCard = await seal(
    await cardProcessor.sealingKey(),
    cardFor(orderId, call.at, { number: "4051885600000040" }),
  );
  const registered = await cardProcessor.registerCard(call, { sealedCard, orderHash: orderId });
  if (registered.outcome !== "registered") throw new Error("The card was not registered.");
  const authenticating = next(call);
  const outcome = await cardProcessor.authenticate(authenticating, {
    cardId: registered.card.id,
    amount: clp(13_500),
    orderHash: orderId,
    purpose: "payment",
    returnUrl,
  });
  if (outcome.outcome !== "challenge") throw new Error("There is no challenge.");
  return { url: outcome.url, inquire: () => cardProcessor.inquireAuthentication(authenticating) };
}

const press = (url: string, body: string | URLSearchParams) =>
  fetch(url, {
    method: "POST",
    body,
    redirect: "manual",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });

async function read(url: string) {
  const response = await fetch(url);
  return { status: response.status, headers: response.headers, html: await response.text() };
}

describe("the bank's page", () => {
  it("shows the amount, the card's last digits and the time left, in Chilean Spanish", async () => {
    const { url } = await challenge();
    const { status, html } = await read(url);
    expect(status).toBe(200);
    expect(html).toContain('<html lang="es-CL">');
    expect(html).toContain("$13.500");
    expect(html).toContain("0040");
    // 15:10 UTC in November.
    expect(html).toContain("12:10");
    expect(html).not.toContain("4051885600000040");
  });

  it("loads only from its own origin, runs no injected script, may be framed, and is not cached", async () => {
    const { headers, html } = await read((await challenge()).url);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain("unsafe");
    expect(policy).not.toContain("frame-ancestors");
    expect(headers.get("x-frame-options")).toBeNull();
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-powered-by")).toBeNull();
    expect(html).not.toMatch(/<script(?! src="\/challenge\.js" defer>)|<style|\son\w+=|style=/);
  });

  it("has a style sheet and a script that it names", async () => {
    const style = await fetch(`${started.origin}/challenge.css`);
    const script = await fetch(`${started.origin}/challenge.js`);
    expect(style.headers.get("content-type")).toMatch(/^text\/css/);
    expect(script.headers.get("content-type")).toMatch(/^text\/javascript/);
    expect(await script.text()).toContain(CHALLENGE_ENDED_MESSAGE);
  });

  it("shows its result and the way back, and notifies its opener, whatever button is pressed later", async () => {
    const { url, inquire } = await challenge();
    const answer = await press(url, new URLSearchParams({ choice: "reject" }));
    expect(answer.status).toBe(303);
    expect(new URL(answer.headers.get("location") ?? "", url).href).toBe(url);
    const { html } = await read(url);
    expect(html).toContain("No pudimos confirmar");
    expect(html).toContain('data-ended="true"');
    expect(html).toContain('data-return-url="https://widget.example.com/return?x=1&amp;y=2"');
    await press(url, new URLSearchParams({ choice: "approve" }));
    expect(await inquire()).toEqual({ outcome: "declined", reason: "authentication_failed" });
  });

  it("closes after ten minutes of real time, whatever the tenant's clock", async () => {
    const { url } = await challenge();
    started.clock.advance(599_999);
    expect((await read(url)).html).toContain("Confirmar la compra");
    started.clock.advance(1);
    expect((await read(url)).html).toContain("data-ended");
    await press(url, new URLSearchParams({ choice: "approve" }));
    expect((await read(url)).html).toContain("Confirmación cancelada");
  });

  it("turns only http and https into links", async () => {
    const { url } = await challenge('javascript:alert("x")');
    await press(url, new URLSearchParams({ choice: "cancel" }));
    const { html } = await read(url);
    expect(html).not.toContain("javascript:");
    expect(html).toContain('href="about:blank"');
  });

  it.each(["choice=explode", "", "choice[]=approve", "choice=approve&choice=approve"])(
    "does nothing for an invalid choice: %j",
    async (body) => {
      const { url, inquire } = await challenge();
      expect((await press(url, body)).status).toBe(404);
      expect(await inquire()).toMatchObject({ outcome: "challenge" });
    },
  );

  it("does not exist for an unknown challenge", async () => {
    const { status, html } = await read(`${started.origin}/challenge/${newOrderId()}`);
    expect(status).toBe(404);
    expect(html).toContain("Esta página no existe");
    expect((await fetch(`${started.origin}/`)).status).toBe(404);
  });
});

describe("the parties in the connector protocol", () => {
  it.each([undefined, "Bearer ", "Bearer another", "Basic YTpi"])("401 to %s", async (authorization) => {
    const response = await fetch(`${started.origin}/connector/v1/card-processor/charge`, {
      method: "POST",
      ...(authorization === undefined ? {} : { headers: { authorization } }),
    });
    expect(response.status).toBe(401);
  });

  it("answer 422 outside of the protocol and 400 without JSON, and repeat nothing of the request", async () => {
    const send = (body: string) =>
      fetch(`${started.origin}/connector/v1/card-processor/charge`, {
        method: "POST",
        headers: {
          authorization: "Bearer a-token-of-this-test",
          "content-type": "application/json",
          "idempotency-key": "k",
        },
        body,
      });
    const malformed = await send('{"number":"4051885600446623"');
    expect(malformed.status).toBe(400);
    expect(withoutDrawnNames(await malformed.text())).not.toContain("4051");
    expect((await send("{}")).status).toBe(422);
  });
});
