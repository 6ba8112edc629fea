import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { WebhookEvent } from "../../../../src/partner-client/answers.ts";
import { verifyWebhook } from "../../../../src/partner-client/verify-webhook.ts";
import { run } from "./run.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
let folder = "";
let url = "";
const received: (WebhookEvent | null)[] = [];
const receive = async (request: IncomingMessage): Promise<number> => {
  try {
    received.push(verifyWebhook(await buffer(request), request.headers, SECRET));
    return 204;
  } catch {
    return 401;
  }
};
const receiver = createServer((request, response) => {
  void receive(request).then((status) => response.writeHead(status).end());
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "aapd-offline-"));
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks`;
  received.length = 0;
});
afterEach(async () => {
  vi.unstubAllEnvs();
  receiver.close();
  await rm(folder, { recursive: true });
});

/** Runs `aapd-dev trigger --offline` in a folder without keys. */
async function trigger(...args: string[]) {
  const { signal } = new AbortController();
  let out = "";
  const write = (text: string) => {
    out += text;
  };
  const code = await run(["trigger", "--offline", ...args], { folder, signal, write, writeError: write });
  return { code, out };
}

describe("aapd-dev trigger --offline", () => {
  it("sends a present event with the sale's reference and a signature that the receiver verifies", async () => {
    vi.stubEnv("WEBHOOK_SECRET", SECRET);
    const { code, out } = await trigger("order.paid", "--forward-to", url, "--reference", "sale-1");
    expect([code, out]).toEqual([0, expect.stringMatching(/^✓ order\.paid sale-1 .*→ 204/)]);
    expect(received).toMatchObject([{ event: "order.paid", reference: "sale-1", status: "paid" }]);
  });

  it("exits with 1 and names the usual cause if the receiver has another secret", async () => {
    vi.stubEnv("WEBHOOK_SECRET", `whsec_${Buffer.alloc(32, 8).toString("base64")}`);
    const { code, out } = await trigger("order.refunded", "--forward-to", url);
    expect([code, out]).toEqual([1, expect.stringMatching(/→ 401: refused: check the signature/)]);
  });

  it("sends nothing without a secret, a receiver, a known kind or readable keys, and says so", async () => {
    vi.stubEnv("WEBHOOK_SECRET", undefined);
    expect(await trigger("order.paid", "--forward-to", url)).toMatchObject({
      code: 1,
      out: expect.stringContaining("Set WEBHOOK_SECRET"),
    });
    expect((await trigger("paid", "--forward-to", url)).out).toMatch(/Unknown event "paid".*order\.paid/);
    expect((await trigger("order.paid")).out).toContain("--forward-to");
    await mkdir(join(folder, ".aapd"));
    await writeFile(join(folder, ".aapd/sandbox.json"), '{"provider": {}');
    expect((await trigger("order.paid", "--forward-to", url)).out).toBe(
      ".aapd/sandbox.json is damaged. Get new keys: npx aapd-dev sandbox --new\n",
    );
    expect(received).toEqual([]);
  });
});
