// Types of install.mjs.
export const HOST_NODE: string;
export const HOST_VSCODE: string;
export function hostIsInstalled(): boolean;
export function installHost(log?: (line: string) => void): void;
