import type { ChildProcess } from "node:child_process";
import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import type { PdfFile } from "../contract/order-files.ts";
import { createDocumentPrinter } from "./document-printer.ts";
import { type SetDocument, setDocument } from "./documents/set-document.ts";

const agreement = (foot: string): SetDocument => ({
  name: "contrato.pdf",
  locale: "es-CL",
  title: "Contrato",
  foot,
  letterhead: { clinic: "Clínica", accent: "#0b6b61", logo: null },
  madeAt: new Date(0),
  sections: [],
});
const fileOf = (name: string): PdfFile => ({ name, type: "application/pdf", base64: "AA==" });
const BUSY = { code: "service_unavailable" };

class Program extends EventEmitter {
  sent: SetDocument | null = null;
  send(sent: SetDocument): boolean {
    this.sent = sent;
    return true;
  }
}

/** A printer whose child processes answer when the test decides. */
function printerOfTest() {
  const started: Program[] = [];
  const { print } = createDocumentPrinter({
    start: () => {
      const program = new Program();
      started.push(program);
      return program as unknown as ChildProcess;
    },
  });
  const tell = async (event: "message" | "exit", answer?: unknown) => {
    started.at(-1)?.emit(event, answer);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const references = () => started.map(({ sent }) => sent?.foot);
  return { print, tell, references };
}

it("the document printer prints one agreement at a time, for each provider in turn", async () => {
  const { print, tell, references } = printerOfTest();
  const clinic = { providerId: "prov_1" };
  const prints = ["a", "b", "c"].map((reference) => print(agreement(reference), clinic));
  prints.push(print(agreement("other"), { providerId: "prov_2" }));
  expect(references()).toEqual(["a"]);
  for (let turn = 0; turn < 4; turn += 1) await tell("message", fileOf("contrato.pdf"));
  expect(references()).toEqual(["a", "b", "other", "c"]);
  expect(await Promise.all(prints)).toHaveLength(4);
});

it("the document printer answers 503 to a provider with ten waiting prints, and still serves others", async () => {
  const { print, tell, references } = printerOfTest();
  const prints = Array.from({ length: 11 }, () => print(agreement("a"), { providerId: "prov_1" }));
  await expect(print(agreement("a"), { providerId: "prov_1" })).rejects.toMatchObject(BUSY);
  prints.push(print(agreement("other"), { providerId: "prov_2" }));
  for (let turn = 0; turn < 12; turn += 1) await tell("message", fileOf("contrato.pdf"));
  await Promise.all(prints);
  expect(references()).toHaveLength(12);
});

it("the document printer answers 503 when its child process dies, and then prints the next agreement", async () => {
  const { print, tell } = printerOfTest();
  const failing = expect(print(agreement("a"), { providerId: "prov_1" })).rejects.toMatchObject(BUSY);
  const next = print(agreement("b"), { providerId: "prov_1" });
  await tell("exit");
  await failing;
  await tell("message", fileOf("b.pdf"));
  expect(await next).toEqual(fileOf("b.pdf"));
});

it("the document printer rejects an answer that is not a file", async () => {
  const { print, tell } = printerOfTest();
  const printed = expect(print(agreement("a"), { providerId: "prov_1" })).rejects.toThrow();
  await tell("message", "a text");
  await printed;
});

it("a child process prints the same bytes as this process", { timeout: 60_000 }, async () => {
  const sections = [{ title: "Pago", blocks: [{ type: "paragraph" as const, text: "Ñandú" }] }];
  const whole = { ...agreement("AGENDA-1"), sections };
  const printed = await createDocumentPrinter().print(whole, { providerId: "prov_1" });
  expect(printed).toEqual(await setDocument(whole));
});
