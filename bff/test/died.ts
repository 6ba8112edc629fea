/** Thrown in the middle of an operation to simulate the death of the process: none of its code runs afterwards. */
export class Died extends Error {
  override readonly name = "Died";
}
