import type { ChildProcess } from "node:child_process";
import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { createPictureConverter, UnreadablePicture } from "./picture-converter.ts";

const PICTURE = new Uint8Array([1]);
const JPEG = new Uint8Array([2]);

/** A child process that answers as the test decides. Records the message sent to it. */
class Program extends EventEmitter {
  sent: unknown = null;
  taken: (error: Error | null) => void = () => undefined;
  send(picture: unknown, taken: (error: Error | null) => void): boolean {
    this.sent = picture;
    this.taken = taken;
    return true;
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

function converterOfTest() {
  const started: Program[] = [];
  const start = () => {
    const program = new Program();
    started.push(program);
    return program as unknown as ChildProcess;
  };
  const { toJpeg } = createPictureConverter({ start });
  const convert = (providerId = "prov_1", picture = PICTURE) => toJpeg(picture, { type: "image/heic", providerId });
  const answer = async (which: number, jpeg: unknown = JPEG) => {
    started[which]?.emit("message", jpeg);
    await turn();
  };
  return { started, convert, answer };
}

test("two pictures are converted at a time, and the next starts when one ends or fails", async () => {
  const { started, convert, answer } = converterOfTest();
  const [first, second, third, fourth] = [convert(), convert(), convert(), convert()];
  expect(started).toHaveLength(2);
  await answer(1);
  expect(await second).toBe(JPEG);
  expect(started).toHaveLength(3);
  started[0]?.emit("exit");
  await expect(first).rejects.toThrow(UnreadablePicture);
  await turn();
  expect(started).toHaveLength(4);
  await answer(2);
  await answer(3);
  expect(await Promise.all([third, fourth])).toEqual([JPEG, JPEG]);
});

test("a provider's photos wait for each other, while another provider's photo goes next", async () => {
  const { started, convert, answer } = converterOfTest();
  const flood = [convert(), convert(), convert(), convert()];
  const patient = convert("prov_2", new Uint8Array([3]));
  await answer(0);
  await answer(1);
  expect(started.map(({ sent }) => (sent as Uint8Array)[0])).toEqual([1, 1, 1, 3]);
  for (const which of [2, 3, 4]) await answer(which);
  expect(await Promise.all([...flood, patient])).toHaveLength(5);
});

test("a provider with two photos running and eight waiting gets a temporary refusal for the next one", async () => {
  const { started, convert, answer } = converterOfTest();
  const accepted = Array.from({ length: 10 }, () => convert());
  await expect(convert()).rejects.toMatchObject({ code: "queue_full" });
  const patient = convert("prov_2");
  for (let which = 0; which < 11; which += 1) await answer(which);
  await Promise.all([...accepted, patient]);
  expect(started).toHaveLength(11);
});

test.each<readonly [how: string, end: (program: Program) => unknown]>([
  ["answers with a text", (program) => program.emit("message", "a text")],
  ["fails", (program) => program.emit("error", new Error("too slow"))],
  ["ends", (program) => program.emit("exit", 1)],
  ["does not accept the message", (program) => program.taken(new Error("closed"))],
])("a picture is unreadable if its child process %s", async (_, end) => {
  const { started, convert, answer } = converterOfTest();
  const converted = convert();
  const [program] = started;
  if (program === undefined) throw new Error("The conversion has not started.");
  expect(program.sent).toBe(PICTURE);
  const refused = expect(converted).rejects.toThrow(UnreadablePicture);
  end(program);
  await answer(0);
  await refused;
});

test("a picture accepted by its child process waits for the result", async () => {
  const { started, convert, answer } = converterOfTest();
  const converted = convert();
  started[0]?.taken(null);
  await answer(0);
  expect(await converted).toBe(JPEG);
});
