import { afterAll, beforeAll, expect, it } from "vitest";
import { notificationExamples } from "../../sandbox/gallery/notification-examples.ts";
import { startBff, type TestBff } from "../start-bff.ts";

let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

const read = async (path: string) => {
  const response = await fetch(`${bff.sandboxGateways}${path}`);
  return {
    status: response.status,
    text: await response.text(),
    policy: response.headers.get("content-security-policy"),
  };
};

it("the gallery of mails shows every example in a frame, with its message and text, in the chosen look", async () => {
  const { status, text } = await read("/mails?locale=en&scheme=dark&width=760");
  expect(status).toBe(200);
  expect(text.match(/<iframe /g)).toHaveLength(notificationExamples.length);
  expect(text).toContain('src="/mails/0?locale=en" width="760"');
  expect(text).toContain("color-scheme:dark");
  expect(text).toContain("Check your e-mail.");
});

it("the gallery of mails serves each mail as it is sent, without scripts, and 404 for no mail", async () => {
  const { status, text, policy } = await read("/mails/0");
  expect([status, policy]).toEqual([200, expect.stringContaining("default-src 'none'")]);
  expect(text).toContain("Clínica Los Aromos del Sur SpA");
  expect(policy).not.toContain("script-src");
  expect([(await read("/mails/9999")).status, (await read("/mails/x")).status]).toEqual([404, 404]);
});
