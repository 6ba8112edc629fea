import { readFileSync } from "node:fs";

/** The kernel counts in hundredths of a second (`USER_HZ`), whatever the machine. */
const ticksInSecond = 100;

let taken = 0;

/**
 * The processor time of the commands that have ended since this was last asked, with all that they started and waited for.
 * Null where the system does not say. Two commands that end in the same moment are counted as the first of them.
 *
 * @returns {number | null} In seconds, of all cores together.
 */
export function takeProcessorSeconds() {
  const ended = endedSeconds();
  if (ended === null) return null;
  const since = ended - taken;
  taken = ended;
  return since;
}

/** @returns {number | null} */
function endedSeconds() {
  try {
    // The second field is the program's name in brackets, which may hold blanks.
    const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? [];
    const [ofUser, ofSystem] = [Number(fields[13]), Number(fields[14])];
    return (ofUser + ofSystem) / ticksInSecond;
  } catch {
    return null;
  }
}
