import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { EVERY_SECONDS, type Recorder } from "./series.ts";

/** The expected verdicts of the rules on recorded series. */
export interface Expected {
  readonly name: string;
  readonly recorder: Recorder;
  /** The alerts that must fire at a moment. */
  readonly firing: readonly { readonly alert: string; readonly at: Date }[];
  /** Before this moment no alert may fire. */
  readonly quietUntil: Date;
}

/** Lets promtool evaluate production's rules on the series. Returns its complaints. */
export async function evaluate(expected: readonly Expected[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "aapd-alerts-"));
  try {
    const file = join(folder, "series.json");
    const rules = fileURLToPath(new URL("../../../deploy/alerts/rules.yaml", import.meta.url));
    const tests = expected.map(toTest);
    // JSON is valid YAML.
    await writeFile(file, JSON.stringify({ rule_files: [rules], evaluation_interval: `${EVERY_SECONDS}s`, tests }));
    await promisify(execFile)("promtool", ["test", "rules", file], { maxBuffer: OUTPUT_BYTES_MAX });
    return "";
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
    if (`${stdout}${stderr}` === "") throw error;
    return `${stdout}${stderr}`.trim();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

function toTest({ name, recorder, firing, quietUntil }: Expected): object {
  const quietSeconds = recorder.secondsTo(quietUntil);
  return {
    name,
    interval: `${EVERY_SECONDS}s`,
    input_series: recorder.series(),
    promql_expr_test: [
      {
        expr: `count by (alertname) (count_over_time(ALERTS{alertstate="firing"}[${quietSeconds}s]))`,
        eval_time: `${quietSeconds}s`,
        exp_samples: [],
      },
      ...firing.map(({ alert, at }) => ({
        expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) > bool 0`,
        eval_time: `${recorder.secondsTo(at)}s`,
        exp_samples: [{ labels: "{}", value: 1 }],
      })),
    ],
  };
}
