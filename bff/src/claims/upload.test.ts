import { expect, it } from "vitest";
import { removeUploads, type UploadDependencies } from "./upload.ts";

it.each([
  null,
  "files",
  {},
  { names: ["a"] },
  { started_at: "2026-11-21T12:00:00Z" },
  { names: "a", started_at: "x" },
  { names: [], started_at: 1 },
])("an upload's timer without file names is a defect: %j", async (payload) => {
  const removed = removeUploads({} as UploadDependencies, { payload });
  await expect(removed).rejects.toThrow("The timer of an upload does not name its files.");
});
