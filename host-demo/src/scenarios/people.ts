/** A patient of the clinic, as its own records know them. Invented: the RUTs are almost surely nobody's. */
export interface Person {
  readonly id: string;
  readonly rut: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly phone: string;
}

/** People for whom all goes well; those of the scenarios are chosen by what the sandbox does with their RUT. */
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
