import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, mergeConfig } from "vitest/config";
import widget from "../widget/vitest.config.ts";
import { workPlugin } from "./mutate/plugins.ts";
import { workSchema } from "./mutate/work.ts";
import service from "./vitest.http.config.ts";

/** One piece of `pnpm mutate`'s work (`WORK_FILE`), with the tests of the package in whose folder it is started. */
const folder = process.cwd();
const mutate = fileURLToPath(new URL("mutate", import.meta.url));
const { WORK_FILE } = process.env;
const work = WORK_FILE === undefined ? null : workSchema.parse(JSON.parse(readFileSync(WORK_FILE, "utf8")));

const { test, ...own } = basename(folder) === "widget" ? widget : service;

export default mergeConfig(
  { ...own, test: { ...test, include: [], globalSetup: [] } },
  defineConfig({
    root: folder,
    plugins: work === null ? [] : [workPlugin(folder, work)],
    test: {
      dir: mutate,
      include: ["start-work.ts"],
      runner: join(mutate, "work-runner.ts"),
      isolate: false,
      // What a mutant leaves behind may fail later; what counts is what became of the cases.
      dangerouslyIgnoreUnhandledErrors: true,
      // All work is one "test".
      expect: { poll: { timeout: 15_000 } },
    },
  }),
);
