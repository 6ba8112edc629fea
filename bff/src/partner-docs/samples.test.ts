import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { renderHtml } from "../platform/http/html.ts";
import { packageFolder } from "../platform/program.ts";
import { openApiDocument } from "./openapi.ts";
import { RELEASED_PACKAGES } from "./packages.ts";
import { VECTOR_BODY, VECTOR_SECRET, vectorHeaders } from "./pages/guide-values.ts";
import { guidePages } from "./pages/pages.ts";
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
  const document = openApiDocument(deployment);
  const site = {
    deployment,
    document,
    testValues: null,
    samples: readSamples(),
    packages: RELEASED_PACKAGES,
    releases: [],
  };
  const webhooks = guidePages(site).find(({ path }) => path === "/docs/webhooks");
  const shown = webhooks === undefined ? "" : renderHtml(webhooks.body).replaceAll("&quot;", '"');

  it("has the signature that the recipe describes", () => {
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

describe("code that apps copy", () => {
  const samples = readSamples();

  it.each([
    ["checkout-screen.jsx", "onMessage={hear}"],
    ["CheckoutView.swift", 'add(self, name: "aapd")'],
    ["CheckoutView.kt", '"ReactNativeWebView"'],
  ] as const)(
    "%s has at most 40 lines, receives under a name that the checkout knows, and answers in our envelope",
    (name, by) => {
      const text = samples[name];
      expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
      expect(text).toContain(by);
      expect(text.replaceAll(/\s+/g, " ")).toMatch(/channel"?(: | to )"aapd", "?version"?(: | to )1, "?session/);
      for (const type of ["completed", "close_requested", "request_token"]) expect(text).toContain(`"${type}"`);
      expect(text).toContain("https://WIDGET_HOST");
    },
  );
});

describe("code in Python", () => {
  it("evaluates no union of types, which Python 3.9 refuses", () => {
    const files = ["get_keys.py", "start_checkout.py", "submit_receipt.py", "verify_webhook.py", "clients/aapd.py"];
    const texts = files.map((file) => [file, readFileSync(join(packageFolder, "docs/site", file), "utf8")] as const);
    const refused = texts.filter(
      ([, text]) => / \| None\b/.test(text) && !text.includes("from __future__ import annotations"),
    );
    expect(refused.map(([file]) => file)).toEqual([]);
  });
});

describe("verify-webhook.mjs, as printed", () => {
  it("accepts the test vector", () => {
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
  /** A database with one table, in which an insert waits for a concurrent insert of the same id, as in PostgreSQL. */
  function database() {
    const known = new Map<string, Promise<boolean>>();
    async function insert(id: string, over: Promise<boolean>): Promise<{ rows: object[] }> {
      if ((await known.get(id)) === true) return { rows: [] };
      known.set(id, over);
      return { rows: [{ event_id: id }] };
    }
    return async (work: (db: object) => Promise<void>) => {
      let end: (committed: boolean) => void = () => undefined;
      const over = new Promise<boolean>((resolve) => {
        end = resolve;
      });
      const query = async (_sql: string, [id = ""]: string[]) => insert(id, over);
      await work({ query }).then(
        () => end(true),
        (error: unknown) => {
          end(false);
          throw error;
        },
      );
    };
  }

  async function receiver(onEvent: (event: unknown) => Promise<void> = async () => undefined) {
    const events: unknown[] = [];
    const note = async (event: unknown) => {
      await onEvent(event);
      events.push(event);
    };
    const onError = vi.fn();
    const { port } = await serve(webhookReceiver({ transaction: database(), onEvent: note, onError }));
    const deliver = (sent: Record<string, string>, bytes: Uint8Array<ArrayBuffer> = body) =>
      fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: bytes, headers: sent });
    return { deliver, events, onError, port };
  }

  it("handles an event once, however often it is delivered", async () => {
    const { deliver, events } = await receiver();
    for (let time = 0; time < 3; time += 1) expect((await deliver({ ...headers })).status).toBe(204);
    expect(events).toEqual([JSON.parse(VECTOR_BODY)]);
  });

  it("processes an event once when two copies arrive at the same time", async () => {
    const slowly = () => new Promise<void>((resolve) => setTimeout(resolve, 50));
    const { deliver, events } = await receiver(slowly);
    const answers = await Promise.all([deliver({ ...headers }), deliver({ ...headers })]);
    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    expect(events).toEqual([JSON.parse(VECTOR_BODY)]);
  });

  it("answers 500 to an event that it could not process, and processes it when it arrives again", async () => {
    let times = 0;
    const { deliver, events, onError } = await receiver(async () => {
      times += 1;
      if (times === 1) throw new Error("The database is away.");
    });
    expect((await deliver({ ...headers })).status).toBe(500);
    expect([(await deliver({ ...headers })).status, events.length]).toEqual([204, 1]);
    expect(onError).toHaveBeenCalledOnce();
  });

  it("answers 413 to a body longer than any event, and keeps none of it", async () => {
    const { deliver, events } = await receiver();
    expect((await deliver({ ...headers }, new Uint8Array(1_000_001))).status).toBe(413);
    expect(events).toEqual([]);
  });

  it("keeps serving after a request is aborted midway", async () => {
    const { deliver, onError, port } = await receiver();
    const socket = connect(port, "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc", () =>
      setTimeout(() => socket.destroy(), 20),
    );
    await vi.waitFor(() => expect(onError).toHaveBeenCalledOnce(), { timeout: 10_000 });
    expect((await deliver({ ...headers })).status).toBe(204);
  });

  it("answers 401 to an unsigned request and does nothing", async () => {
    const { deliver, events } = await receiver();
    expect((await deliver({})).status).toBe(401);
    expect((await deliver({ "X-Service-Signature": `sha256=${"0".repeat(64)}` })).status).toBe(401);
    expect(events).toEqual([]);
  });

  it("reads a body that arrives in pieces, split inside a character", async () => {
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
