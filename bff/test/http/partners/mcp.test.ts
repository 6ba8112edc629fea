import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getKeys } from "../../../packages/server/src/dev/get-keys.ts";
import { type SandboxKeys, writeKeys } from "../../../packages/server/src/dev/keys.ts";
import { startBff, type TestBff } from "../../start-bff.ts";

/* `aapd-dev mcp` as an assistant starts it: a process, the protocol's own client, standard input and output. */

const PROGRAM = fileURLToPath(new URL("../../../packages/server/src/dev/main.ts", import.meta.url));

let bff: TestBff;
let keys: SandboxKeys;
let folder = "";
const client = new Client({ name: "an assistant", version: "1" });
beforeAll(async () => {
  bff = await startBff();
  keys = await getKeys(bff.orderApi, { origins: [] });
  folder = await mkdtemp(join(tmpdir(), "aapd-mcp-"));
  await writeKeys(folder, keys);
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [PROGRAM, "mcp"], cwd: folder }));
  // The client checks structured answers against the tools' schemas once it has listed them.
  await client.listTools();
});
afterAll(async () => {
  await client.close();
  await bff.close();
  await rm(folder, { recursive: true });
});

/** Calls a tool, and checks that its text is its structured answer and that it names no secret. */
async function use(name: string, args: Record<string, unknown> = {}) {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
  const text = (content as { text: string }[])[0]?.text ?? "";
  for (const secret of [keys.credentials.client_secret, keys.credentials.secret_key, keys.credentials.webhook_secret])
    expect(text).not.toContain(secret);
  if (structuredContent !== undefined) expect(JSON.parse(text)).toEqual(structuredContent);
  return { isError: isError === true, text, answer: (structuredContent ?? {}) as Record<string, unknown> };
}

async function answerOf(name: string, args?: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { isError, text, answer } = await use(name, args);
  expect([isError, isError ? text : ""]).toEqual([false, ""]);
  return answer;
}

describe("aapd-dev mcp", () => {
  it("says what it is for, and what each tool may do", async () => {
    expect(client.getInstructions()).toContain("no money moves");
    expect(client.getServerCapabilities()).toMatchObject({ tools: {}, resources: {} });
    const { tools } = await client.listTools();
    for (const { name, title, description, annotations, outputSchema } of tools) {
      expect([name, title, description]).toEqual([name, expect.stringMatching(/./), expect.stringMatching(/./)]);
      expect([name, annotations?.readOnlyHint, annotations?.openWorldHint]).toEqual([name, expect.any(Boolean), false]);
      expect([name, outputSchema?.type]).toEqual([name, "object"]);
    }
    const namesOf = (chosen: typeof tools) => chosen.map(({ name }) => name).toSorted();
    expect(namesOf(tools.filter(({ annotations }) => annotations?.readOnlyHint === true))).toEqual([
      "read_deliveries",
      "read_events",
      "read_mail",
      "read_order",
      "read_requests",
      "search_docs",
    ]);
    expect(namesOf(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true))).toEqual([
      "decide_claim",
      "examine",
      "inject_fault",
      "move_clock",
      "open_checkout",
      "play_scenario",
      "refund_order",
      "submit_receipt",
    ]);
  });

  it("offers the guide's pages as resources, and finds the passage with an answer", async () => {
    const { resources } = await client.listResources();
    const webhooks = resources.find(({ uri }) => uri === "aapd://guide/docs/webhooks.md");
    expect(webhooks).toMatchObject({ mimeType: "text/markdown", description: expect.stringMatching(/./) });
    const { contents } = await client.readResource({ uri: webhooks?.uri ?? "" });
    const page = await (await fetch(`${bff.orderApi}/docs/webhooks.md`)).text();
    expect(contents).toEqual([{ uri: webhooks?.uri, mimeType: "text/markdown", text: page }]);
    await expect(client.readResource({ uri: "aapd://guide/openapi.json" })).rejects.toThrow(/has no page/);
    const { passages } = await answerOf("search_docs", { query: "verify webhook signature raw body" });
    expect(passages).toMatchObject([{ address: expect.stringContaining("/docs/webhooks") }, {}, {}, {}, {}]);
  });

  it("plays a payment, submits the receipt, decides the claim, refunds a part and reads the patient's mail", async () => {
    const { order } = await answerOf("play_scenario", { scenario: "paid" });
    const { hash } = order as { hash: string };
    expect(await answerOf("read_order", { hash })).toMatchObject({ status: "paid" });
    expect(await answerOf("submit_receipt", { hash })).toMatchObject({ missing_document_types: [] });
    await answerOf("move_clock", { advance: "+1h" });
    expect(await answerOf("decide_claim", { hash, outcome: "reject" })).toMatchObject({
      claim: { status: "rejected" },
    });
    expect(await answerOf("refund_order", { hash, amount: 1_000 })).toMatchObject({ refund: { amount: 1_000 } });
    expect((await answerOf("read_mail", { limit: 5 })).notices).not.toEqual([]);
    const { events } = await answerOf("read_events");
    expect(events).toEqual(expect.arrayContaining([expect.objectContaining({ event: "order.paid" })]));
    expect(await answerOf("read_deliveries")).toEqual({ endpoints: [] });
    expect((await fetch(String((await answerOf("open_checkout", { total_clp: 45_952 })).url))).status).toBe(200);
  });

  it("moves the clock by the command line's forms, and names them when given another", async () => {
    const { ahead_seconds: before } = await answerOf("move_clock");
    expect((await answerOf("move_clock", { advance: "+2d" })).ahead_seconds).toBe(Number(before) + 2 * 86_400);
    expect((await answerOf("move_clock", { advance: "1h30m" })).ahead_seconds).toBe(Number(before) + 178_200);
    expect(await use("move_clock", { advance: "soon" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("+45d"),
    });
  });

  it("plans a fault, and examines keys and receiver as doctor does", async () => {
    const fault = { party: "card-processor", method: "charge", kind: "slow" };
    expect(await answerOf("inject_fault", fault)).toMatchObject({ faults: [{ ...fault, calls: 1 }] });
    expect(await answerOf("inject_fault", { ...fault, kind: "twice", replace: true })).toMatchObject({
      faults: [{ kind: "twice" }],
    });
    const { score, findings } = await answerOf("examine", { webhook: "http://127.0.0.1:9/webhooks" });
    expect(score).toBeLessThan(100);
    expect(findings).toEqual(expect.arrayContaining([expect.objectContaining({ verdict: "mistake" })]));
  });

  it("returns a refusal in words with the request's id, which read_requests lists", async () => {
    const { isError, text } = await use("read_order", { hash: "00000000-0000-4000-8000-000000000000" });
    expect([isError, text]).toEqual([true, expect.stringMatching(/order_not_found, request /)]);
    const [, id] = /request ([\w-]+)/.exec(text) ?? [];
    const { requests } = await answerOf("read_requests");
    expect(requests).toEqual(expect.arrayContaining([expect.objectContaining({ request_id: id, status: 404 })]));
  });
});
