/** Thrown in the middle of an operation. No code after it runs, as when the process dies. */
export class Died extends Error {
  override readonly name = "Died";
}
