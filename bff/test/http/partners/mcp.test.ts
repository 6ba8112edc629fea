import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getKeys } from "../../../packages/server/src/dev/get-keys.ts";
import type { SandboxKeys } from "../../../packages/server/src/dev/keys.ts";
import { createMcpServer } from "../../../packages/server/src/dev/mcp.ts";
import { startBff, type TestBff } from "../../start-bff.ts";

let bff: TestBff;
let keys: SandboxKeys;
const client = new Client({ name: "an assistant", version: "1" });
beforeAll(async () => {
  bff = await startBff();
  keys = await getKeys(bff.orderApi, { origins: [] });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await createMcpServer(() => Promise.resolve(keys), "1").connect(far);
  await client.connect(near);
});
afterAll(async () => {
  await client.close();
  await bff.close();
});

async function use(name: string, args: Record<string, unknown> = {}) {
  const answer = await client.callTool({ name, arguments: args });
  const [content] = answer.content as { text: string }[];
  const text = content?.text ?? "";
  for (const secret of [keys.credentials.client_secret, keys.credentials.secret_key, keys.credentials.webhook_secret])
    expect(text).not.toContain(secret);
  return { isError: answer.isError === true, text };
}
const json = async (name: string, args?: Record<string, unknown>) => JSON.parse((await use(name, args)).text);

describe("the sandbox's tools for assistants", () => {
  it("are named after their purpose", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "search_docs",
      "open_checkout",
      "play_scenario",
      "read_order",
      "move_clock",
      "read_events",
      "read_deliveries",
      "read_requests",
    ]);
    expect(tools.find(({ name }) => name === "play_scenario")?.description).toContain("latest_day");
  });

  it("find the passage of the guide with the answer", async () => {
    const [best] = await json("search_docs", { query: "verify webhook signature raw body" });
    expect(best.address).toContain("/docs/webhooks");
  });

  it("pay as a patient, move the clock and read the result", async () => {
    const { order } = await json("play_scenario", { scenario: "paid" });
    expect((await json("read_order", { hash: order.hash })).status).toBe("paid");
    expect((await json("move_clock", { advance: "1d" })).ahead_seconds).toBe(86_400);
    expect((await json("read_events")).map(({ event }: { event: string }) => event)).toContain("order.paid");
    expect(await json("read_deliveries")).toEqual([]);
    expect((await fetch((await json("open_checkout", { total_clp: 45_952 })).url)).status).toBe(200);
  });

  it("return a refusal in words, with the request's id", async () => {
    const { isError, text } = await use("read_order", { hash: "00000000-0000-4000-8000-000000000000" });
    expect([isError, text]).toEqual([true, expect.stringMatching(/order_not_found, request /)]);
  });
});
