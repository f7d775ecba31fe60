import styles from "./cords.module.css";

/** The class that sets the colour of a cord, by the cord's number. */
export const cords: Readonly<Record<number, string | undefined>> = Object.fromEntries(
  Array.from({ length: 8 }, (_, index) => [index + 1, styles[`cord${index + 1}`]]),
);
