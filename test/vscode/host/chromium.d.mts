// Types of chromium.mjs.
export const CHROMIUM_ARGS: readonly string[];
export const CHROMIUM_ADVICE: string;
export function findChromium(): string | null;
export function installChromium(log?: (line: string) => void): string;
