// Types of generate.mjs, for its tests.
export function generate(root?: string): void;
