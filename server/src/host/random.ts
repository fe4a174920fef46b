/** Randomness as a dependency, so that ids of hand-made rows can be tested. */
export interface Random {
  /** `length` lower-case base-32 characters. */
  base32(length: number): string;
}
