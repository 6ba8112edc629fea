/** A test patient: their data, and the document that proves who they are. */
export interface Patient {
  readonly rut: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly phone: string;
  readonly documentSerial: string;
}

let made = 0;
/**
 * All workers of a run have one parent process, and each has a unique number. Outside of a run there is only one
 * process.
 */
const FIRST_OF_PROCESS = (process.ppid + Number(process.env.TEST_WORKER_INDEX ?? 0)) * 1_000;

/**
 * A new patient, with a RUT from a range that is almost certainly unassigned. RUTs are unique within a run, and almost
 * always across runs on the same data. The service finds patients by RUT, and the sandbox messages by address and
 * number, so parallel tests must not share any.
 */
export function newPatient(overrides: Partial<Patient> = {}): Patient {
  made += 1;
  const body = 42_000_000 + ((FIRST_OF_PROCESS + made) % 7_000_000);
  return {
    rut: `${String(body).replace(/\B(?=(\d{3})+$)/g, ".")}-${checkDigitOf(body)}`,
    firstName: "María José",
    lastName: "O'Ryan Díaz",
    email: `paciente.${body}@example.com`,
    phone: `+56 9 ${String(body).slice(0, 4)} ${String(body).slice(4)}`,
    documentSerial: "123.456.789",
    ...overrides,
  };
}

/** The check digit of a RUT, by the modulo 11 rule. Duplicated here, so that the kit can be copied. */
function checkDigitOf(body: number): string {
  const digits = [...String(body)].toReversed().map(Number);
  const sum = digits.reduce((total, digit, place) => total + digit * (2 + (place % 6)), 0);
  return ["0", "K", ...Array.from({ length: 9 }, (_, rest) => String(9 - rest))][sum % 11] ?? "";
}
