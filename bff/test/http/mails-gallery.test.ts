import { extractText, getDocumentProxy } from "unpdf";
import { afterAll, beforeAll, expect, it } from "vitest";
import { documentExamples } from "../../sandbox/gallery/document-examples.ts";
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

it("the gallery of mails shows every mail and document in a frame, with message and text, in the chosen theme", async () => {
  const { status, text } = await read("/mails?locale=en&scheme=dark&width=760");
  expect(status).toBe(200);
  expect(text.match(/<iframe /g)).toHaveLength(notificationExamples.length + documentExamples.length);
  expect(text).toContain('src="/mails/0?locale=en" width="760"');
  expect(text).toContain('src="/mails/documents/contract?locale=en" width="760"');
  expect(text).toContain("color-scheme:dark");
  expect(text).toContain("Check your e-mail.");
});

it("the gallery of mails serves each mail as sent, without scripts, and 404 for an unknown mail", async () => {
  const { status, text, policy } = await read("/mails/0");
  expect([status, policy]).toEqual([200, expect.stringContaining("default-src 'none'")]);
  expect(text).toContain("Clínica Los Aromos del Sur SpA");
  expect(policy).not.toContain("script-src");
  expect([(await read("/mails/9999")).status, (await read("/mails/x")).status]).toEqual([404, 404]);
});

it("the gallery of mails allows only the pictures inside a mail", async () => {
  const { text, policy } = await read("/mails/0");
  expect(text).toContain('<img class="logo" src="data:image/png;base64,');
  expect(policy).toContain("img-src data:;");
});

it.each(documentExamples.map(({ name }) => name))(
  "the gallery serves the document %s as a tagged PDF",
  async (name) => {
    const response = await fetch(`${bff.sandboxGateways}/mails/documents/${name}?locale=es-CL`);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    expect(response.headers.get("x-frame-options")).toBe("SAMEORIGIN");
    const file = await getDocumentProxy(new Uint8Array(await response.arrayBuffer()));
    expect((await file.getMarkInfo())?.Marked).toBe(true);
    const { text } = await extractText(file, { mergePages: true });
    expect(text).toContain("AGENDA-20417");
  },
);

it("the gallery of mails answers 404 for an unknown document", async () => {
  expect((await read("/mails/documents/x")).status).toBe(404);
});
