import { closeSync, openSync, readSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

const lookEveryMs = 250;

/**
 * Watches a command's log, and calls `end` as soon as the command exceeds a limit.
 *
 * @param {string} logPath
 * @param {import("./commands.mjs").Limits} limits
 * @param {(why: string) => void} end
 * @returns {() => void} Ends the watch.
 */
export function watchProgress(logPath, { stallMs, mostMs, progress }, end) {
  const log = openSync(logPath, "r");
  const readLines = lineReader(log);
  const startedAt = Date.now();
  let gotOnAt = startedAt;
  const look = setInterval(() => {
    const now = Date.now();
    if (readLines().some((line) => progress?.test(line) ?? true)) gotOnAt = now;
    if (now - startedAt > mostMs) end(`it was ended after ${minutes(mostMs)}, the most that it may take`);
    else if (now - gotOnAt > stallMs) end(`it was ended because it had not got on for ${minutes(stallMs)}`);
  }, lookEveryMs);
  return () => {
    clearInterval(look);
    closeSync(log);
  };
}

/**
 * @param {number} file
 * @returns {() => string[]} The lines written since the last call, without colours.
 */
function lineReader(file) {
  const buffer = Buffer.alloc(65_536);
  let position = 0;
  let begun = "";
  return () => {
    for (let count = 1; count > 0; position += count) {
      count = readSync(file, buffer, 0, buffer.length, position);
      begun += buffer.toString("utf8", 0, count);
    }
    const lines = begun.split("\n");
    begun = lines.pop() ?? "";
    return lines.map((line) => stripVTControlCharacters(line));
  };
}

/** @param {number} ms */
function minutes(ms) {
  return `${Number((ms / 60_000).toFixed(2))} minutes`;
}
