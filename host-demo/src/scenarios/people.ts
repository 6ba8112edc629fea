/** An invented patient in the clinic's records; their RUT almost certainly belongs to no person. */
export interface Person {
  readonly id: string;
  readonly rut: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly phone: string;
}

/** Patients for whom everything succeeds; the scenarios choose theirs by the sandbox's behaviour for their RUT. */
export const PEOPLE: readonly Person[] = [
  {
    id: "camila",
    rut: "40.100.000-3",
    firstName: "Camila",
    lastName: "Rojas Fuentes",
    email: "camila.rojas@example.com",
    phone: "+56 9 1234 5678",
  },
  {
    id: "matias",
    rut: "40.412.004-2",
    firstName: "Matías",
    lastName: "Soto Araya",
    email: "matias.soto@example.com",
    phone: "+56 9 2345 6781",
  },
  {
    id: "nusta",
    rut: "40.800.005-K",
    firstName: "Ñusta",
    lastName: "Quispe Mamani",
    email: "nusta.quispe@example.org",
    phone: "+56 9 3456 7812",
  },
  {
    id: "yan",
    rut: "40.718.359-2",
    firstName: "Yan",
    lastName: "Li",
    email: "yan.li@example.org",
    phone: "+56 9 4567 8123",
  },
];
