/** Thrown into the middle of an operation: what runs after it never happens, as when the process dies. */
export class Died extends Error {
  override readonly name = "Died";
}
