import { appendFileSync } from "node:fs";
import { afterAll, expect } from "vitest";

/* Set up in each test file while it is recorded which functions of the service the tests reach. */

const file = process.env.REACH_FILE;
if (file !== undefined) {
  const called = new Set<string>();
  Reflect.set(globalThis, "saysCalled", (name: string) => called.add(name));
  afterAll(() => {
    const test = expect.getState().testPath;
    if (test !== undefined) appendFileSync(file, `${JSON.stringify({ test, called: [...called] })}\n`);
  });
}
