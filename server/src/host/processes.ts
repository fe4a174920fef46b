/** Running other programs. Owns the interface only; `node/` implements it, tests fake it. */
export interface ProcessRequest {
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** Output as it comes, both streams. */
  readonly onOutput?: (text: string) => void;
  /** Looked at now and then: once true, the program gets a few seconds to end by itself. */
  readonly settled?: () => boolean;
  /** Ends the program and everything it started. */
  readonly signal?: AbortSignal;
}

export interface ProcessResult {
  /** 128 and the signal's number where a signal ended it. */
  readonly exit: number;
  /** `settled`: it had done what was asked and did not end. */
  readonly ended: 'itself' | 'settled' | 'time' | 'cancelled' | 'not-started';
  /** Both streams as they came; of much, the end. */
  readonly output: string;
  readonly ms: number;
}

export interface Processes {
  /** Never rejects. When it resolves, nothing that the program started in its group runs any more. */
  run(request: ProcessRequest): Promise<ProcessResult>;
}
