import { it } from "vitest";

it("gives the runner (`work-runner.ts`) a beginning", () => undefined);
