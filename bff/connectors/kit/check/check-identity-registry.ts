import { identityRegistryProtocol } from "../../../src/gateways/protocols/identity-registry.ts";
import { checkTokensOf } from "./check-keyed-call.ts";
import { type CheckRun, type Json, readAnswer } from "./check-run.ts";

const { check: operation } = identityRegistryProtocol;

export async function checkIdentityRegistry(run: CheckRun): Promise<void> {
  const { rut, serial, document_type: documentType, wrong_serial: wrongSerial } = run.values;
  const input: Json = { providerId: run.providerId, rut, serial, documentType };
  const body = async () => JSON.stringify(input);
  await checkAnswer(run, { check: "good-read", input, expected: "match" });
  if (wrongSerial === null) run.noteNotChecked(operation.path, "wrong-serial", "no_match", "wrong_serial is null");
  else
    await checkAnswer(run, { check: "wrong-serial", input: { ...input, serial: wrongSerial }, expected: "no_match" });
  const { serial: _left, ...withoutSerial } = input;
  const reply = await run.read(operation.path, withoutSerial);
  const isRefused = reply.status !== null && reply.status >= 400 && reply.status < 500;
  const expected = "a status from 400 to 499 for a question without a serial";
  run.note(operation.path, "malformed-bodies", expected, isRefused ? null : run.describe(reply));
  await checkTokensOf(run, operation.path, body);
}

async function checkAnswer(
  run: CheckRun,
  { check, input, expected }: { readonly check: string; readonly input: Json; readonly expected: string },
): Promise<void> {
  const reply = await run.read(operation.path, input);
  const read = readAnswer(run, operation.answer, reply);
  const isExpected = "answer" in read && read.answer.outcome === expected;
  run.note(operation.path, check, expected, isExpected ? null : "fault" in read ? read.fault : run.describe(reply));
}
