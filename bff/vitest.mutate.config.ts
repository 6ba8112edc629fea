import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, mergeConfig } from "vitest/config";
import widget from "../widget/vitest.config.ts";
import { workPlugin } from "./lab/mutate/plugins.ts";
import { workSchema } from "./lab/mutate/work.ts";
import service from "./vitest.http.config.ts";

/** One piece of `pnpm mutate`'s work (`WORK_FILE`), with the tests of the package in whose folder it is started. */
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
      // A mutated file has the same content on the disk.
      fsModuleCache: false,
      // What a mutant leaves behind may fail later; what counts is what became of the cases.
      dangerouslyIgnoreUnhandledErrors: true,
      // A case that waits for ever for what its mutant left out has noticed it, and need not take as long as one on a
      // slow machine.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      // All work is one "test".
      expect: { poll: { timeout: 15_000 } },
    },
  }),
);
