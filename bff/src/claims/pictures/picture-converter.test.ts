import type { ChildProcess } from "node:child_process";
import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { createPictureConverter, UnreadablePicture } from "./picture-converter.ts";

const PICTURE = new Uint8Array([1]);
const JPEG = new Uint8Array([2]);

/** A program that answers as the test says: it has what was sent to it. */
class Program extends EventEmitter {
  sent: unknown = null;
  taken: (error: Error | null) => void = () => undefined;
  send(picture: unknown, taken: (error: Error | null) => void): boolean {
    this.sent = picture;
    this.taken = taken;
    return true;
  }
}

function converterOfTest() {
  const started: Program[] = [];
  const start = () => {
    const program = new Program();
    started.push(program);
    return program as unknown as ChildProcess;
  };
  const { toJpeg } = createPictureConverter({ start });
  const convert = () => toJpeg(PICTURE, "image/heic");
  const answer = (which: number, jpeg: unknown = JPEG) => started[which]?.emit("message", jpeg);
  return { started, convert, answer };
}

test("two pictures are converted at once, and the next begins when one of them ends, however it ends", async () => {
  const { started, convert, answer } = converterOfTest();
  const [first, second, third, fourth] = [convert(), convert(), convert(), convert()];
  expect(started).toHaveLength(2);
  answer(1);
  expect(await second).toBe(JPEG);
  expect(started).toHaveLength(3);
  started[0]?.emit("exit");
  await expect(first).rejects.toThrow(UnreadablePicture);
  expect(started).toHaveLength(4);
  answer(2);
  answer(3);
  expect(await Promise.all([third, fourth])).toEqual([JPEG, JPEG]);
  // None is left that would be counted on and on.
  const more = [convert(), convert(), convert()];
  expect(started).toHaveLength(6);
  answer(4);
  answer(5);
  await Promise.all(more.slice(0, 2));
  expect(started).toHaveLength(7);
  answer(6);
  expect(await more[2]).toBe(JPEG);
});

test.each<readonly [how: string, end: (program: Program) => unknown]>([
  ["answers with something else", (program) => program.emit("message", "a text")],
  ["fails", (program) => program.emit("error", new Error("too slow"))],
  ["ends", (program) => program.emit("exit", 1)],
  ["does not take the picture", (program) => program.taken(new Error("closed"))],
])("a picture whose program %s cannot be read", async (_, end) => {
  const { started, convert, answer } = converterOfTest();
  const converted = convert();
  const [program] = started;
  if (program === undefined) throw new Error("It has not begun.");
  expect(program.sent).toBe(PICTURE);
  end(program);
  answer(0);
  await expect(converted).rejects.toThrow(UnreadablePicture);
});

test("a picture that the program has taken waits for its answer", async () => {
  const { started, convert, answer } = converterOfTest();
  const converted = convert();
  started[0]?.taken(null);
  answer(0);
  expect(await converted).toBe(JPEG);
});
