import { createHmac } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { renderHtml } from "./html.ts";
import { openApiDocument } from "./openapi.ts";
import { VECTOR_BODY, VECTOR_SECRET, vectorHeaders } from "./pages/signature-vector.ts";
import { webhooksPage } from "./pages/webhooks-page.ts";
import { readSamples } from "./samples.ts";

const folder = "../../docs/site";
const { isGenuine } = await import(`${folder}/verify-webhook.mjs`);
const { webhookReceiver } = await import(`${folder}/receive-webhook.mjs`);

const running: { close(): void; closeAllConnections(): void }[] = [];
beforeEach(() => vi.stubEnv("WEBHOOK_SECRET", VECTOR_SECRET));
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of running.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<AddressInfo> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  running.push(server);
  return server.address() as AddressInfo;
}

const body = Buffer.from(VECTOR_BODY, "utf8");
const headers = vectorHeaders("Service");
const signature = headers["X-Service-Signature"] ?? "";

describe("the test vector that the webhooks page shows", () => {
  const deployment = {
    environment: "staging",
    orderApiUrl: "https://order.example",
    spotApiUrl: "https://spot.example",
    widgetHostUrl: "https://widget.example",
    signatureWord: "Service",
  } as const;
  const site = { deployment, document: openApiDocument(deployment), testValues: null, samples: readSamples() };
  const shown = renderHtml(webhooksPage(site).body).replaceAll("&quot;", '"');

  it("is what the recipe in words computes (interface 6.1.2)", () => {
    expect(signature).toBe(`sha256=${createHmac("sha256", VECTOR_SECRET).update(VECTOR_BODY, "utf8").digest("hex")}`);
    const key = Buffer.from(VECTOR_SECRET.slice("whsec_".length), "base64");
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${VECTOR_BODY}`;
    expect(headers["webhook-signature"]).toBe(`v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
    for (const text of [VECTOR_SECRET, VECTOR_BODY, ...Object.values(headers)]) expect(shown).toContain(text);
    expect(shown).toContain(`${body.length} bytes`);
    expect(body.length).toBeGreaterThan(VECTOR_BODY.length);
  });

  it("is one of Standard Webhooks, by their own library", () => {
    vi.useFakeTimers({ now: Number(headers["webhook-timestamp"]) * 1_000 });
    expect(new Webhook(VECTOR_SECRET).verify(VECTOR_BODY, { ...headers })).toEqual(JSON.parse(VECTOR_BODY));
    vi.useRealTimers();
  });
});

describe("verify-webhook.mjs, as printed", () => {
  it("takes the test vector", () => {
    expect(isGenuine(body, signature, VECTOR_SECRET)).toBe(true);
  });

  it.each([
    ["another body", Buffer.from(`${VECTOR_BODY} `), signature, VECTOR_SECRET],
    ["another secret", body, signature, `${VECTOR_SECRET}=`],
    ["no signature", body, undefined, VECTOR_SECRET],
    ["an empty one", body, "", VECTOR_SECRET],
    ["one of another scheme", body, signature.replace("sha256", "sha512"), VECTOR_SECRET],
    ["one cut short", body, signature.slice(0, -2), VECTOR_SECRET],
    ["one that is too long", body, `${signature}00`, VECTOR_SECRET],
    ["the body encoded again", Buffer.from(JSON.stringify(JSON.parse(VECTOR_BODY), null, 1)), signature, VECTOR_SECRET],
  ])("refuses %s", (_name, bytes, sent, secret) => {
    expect(isGenuine(bytes, sent, secret)).toBe(false);
  });
});

describe("receive-webhook.mjs, as printed", () => {
  async function receiver() {
    const events: unknown[] = [];
    const known = new Set<string>();
    const store = { has: async (id: string) => known.has(id), add: async (id: string) => void known.add(id) };
    const { port } = await serve(
      webhookReceiver({ store, onEvent: async (event: unknown) => void events.push(event) }),
    );
    const deliver = (sent: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/`, { method: "POST", body, headers: sent });
    return { deliver, events, port };
  }

  it("does an event once, however often it is delivered", async () => {
    const { deliver, events } = await receiver();
    for (let time = 0; time < 3; time += 1) expect((await deliver({ ...headers })).status).toBe(204);
    expect(events).toEqual([JSON.parse(VECTOR_BODY)]);
  });

  it("answers 401 to what is not signed and does nothing", async () => {
    const { deliver, events } = await receiver();
    expect((await deliver({})).status).toBe(401);
    expect((await deliver({ "X-Service-Signature": `sha256=${"0".repeat(64)}` })).status).toBe(401);
    expect(events).toEqual([]);
  });

  it("reads a body that comes in pieces, cut within a letter", async () => {
    const { events, port } = await receiver();
    const cut = body.indexOf(Buffer.from("ñ")) + 1;
    const head = `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Service-Signature: ${signature}\r\nContent-Length: ${body.length}\r\n\r\n`;
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      let text = "";
      socket
        .on("data", (chunk) => (text += chunk.toString()))
        .on("end", () => resolve(text))
        .on("error", reject);
      socket.write(Buffer.concat([Buffer.from(head), body.subarray(0, cut)]), () => {
        setImmediate(() => socket.write(body.subarray(cut)));
      });
    });
    expect(answer).toContain("204");
    expect(events).toEqual([JSON.parse(VECTOR_BODY)]);
  });
});
