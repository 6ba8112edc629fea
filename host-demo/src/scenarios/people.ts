/** A patient of the clinic, as its own records know them. Invented: the RUTs are almost surely nobody's. */
export interface Person {
  readonly id: string;
  readonly rut: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly phone: string;
}

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
    rut: "40.237.731-3",
    firstName: "Matías",
    lastName: "Soto Araya",
    email: "matias.soto@example.com",
    phone: "+56 9 2345 6781",
  },
  {
    id: "nusta",
    rut: "40.006.217-K",
    firstName: "Ñusta",
    lastName: "Quispe Mamani",
    email: "nusta.quispe@example.org",
    phone: "+56 9 3456 7812",
  },
  {
    id: "yan",
    rut: "40.000.778-0",
    firstName: "Yan",
    lastName: "Li",
    email: "yan.li@example.org",
    phone: "+56 9 4567 8123",
  },
];

export function findPerson(id: string): Person | null {
  return PEOPLE.find((person) => person.id === id) ?? null;
}
