#!/usr/bin/env node
import { run } from "./run.ts";

const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort());

process.exitCode = await run(process.argv.slice(2), {
  folder: process.cwd(),
  signal: stopping.signal,
  write: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
});
