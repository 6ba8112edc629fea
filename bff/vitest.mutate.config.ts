import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, mergeConfig } from "vitest/config";
import widget from "../widget/vitest.config.ts";
import { workPlugin } from "./lab/mutate/plugins.ts";
import { workSchema } from "./lab/mutate/work.ts";
import service from "./vitest.http.config.ts";

/** Runs one piece of `pnpm mutate`'s work (`WORK_FILE`), with the tests of the package in whose folder it starts. */
const mutate = fileURLToPath(new URL("lab/mutate", import.meta.url));
const isWidget = basename(process.cwd()) === "widget";
const folder = isWidget ? process.cwd() : dirname(dirname(mutate));
const { WORK_FILE } = process.env;
const work = WORK_FILE === undefined ? null : workSchema.parse(JSON.parse(readFileSync(WORK_FILE, "utf8")));

const { test, ...own } = isWidget ? widget : service;
// By absolute paths, because Vitest looks for its one file elsewhere.
const setupFiles = [test?.setupFiles ?? []].flat().map((file) => join(folder, file));

export default mergeConfig(
  { ...own, test: { ...test, setupFiles, include: [], globalSetup: [] } },
  defineConfig({
    root: folder,
    plugins: work === null ? [] : [workPlugin(folder, work)],
    test: {
      dir: mutate,
      include: ["start-work.ts"],
      runner: join(mutate, "work-runner.ts"),
      isolate: false,
      // Mutations are not written to the disk, so a file's content there does not change.
      fsModuleCache: false,
      // Work that a mutant left running may fail later. Only the results of the test cases count.
      dangerouslyIgnoreUnhandledErrors: true,
      // A case that waits for something its mutant prevented has detected it. So the limit can be shorter than for a
      // slow machine.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      // All work is one "test".
      expect: { poll: { timeout: 15_000 } },
    },
  }),
);
