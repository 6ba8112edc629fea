import { it } from "vitest";

it("starts the runner (`work-runner.ts`)", () => undefined);
