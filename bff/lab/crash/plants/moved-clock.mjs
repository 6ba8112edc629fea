/*
 * Moves the time of a process, by the milliseconds in the file that REHEARSAL_CLOCK names: `node --import` this.
 * Rehearsals that last weeks change the file while the processes run.
 */
import { readFileSync } from "node:fs";

const RealDate = Date;
const file = process.env.REHEARSAL_CLOCK ?? "";
let movedMs = read();
setInterval(() => (movedMs = read()), 100).unref();

function read() {
  return Number(readFileSync(file, "utf8"));
}

globalThis.Date = class MovedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + movedMs);
    else super(...given);
  }

  static now() {
    return RealDate.now() + movedMs;
  }

  /** Dates that another realm or a clone made are dates too. */
  static [Symbol.hasInstance](value) {
    return value instanceof RealDate;
  }
};
