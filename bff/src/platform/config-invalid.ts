/** Thrown when the environment variables are not valid; each line names a variable and its problem. */
export class ConfigInvalid extends Error {
  override readonly name = "ConfigInvalid";
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join("\n"));
    this.lines = lines;
  }
}
