/*
 * Moves the time of a process, by the milliseconds in the file that REHEARSAL_CLOCK names: `node --import` this.
 * Rehearsals that last weeks replace the file while the processes run. All of them move within a few milliseconds.
 */
import { readFileSync } from "node:fs";

const RealDate = Date;
const file = process.env.REHEARSAL_CLOCK ?? "";
const READ_EVERY_MS = 2;
let readAtMs = Number.NEGATIVE_INFINITY;
let movedMs = 0;

function movedNow() {
  const atMs = performance.now();
  if (atMs - readAtMs >= READ_EVERY_MS) {
    movedMs = Number(readFileSync(file, "utf8"));
    readAtMs = atMs;
  }
  return RealDate.now() + movedMs;
}

globalThis.Date = class MovedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(movedNow());
    else super(...given);
  }

  static now() {
    return movedNow();
  }

  /** Dates that another realm or a clone made are dates too. */
  static [Symbol.hasInstance](value) {
    return value instanceof RealDate;
  }
};
