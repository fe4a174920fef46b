/** The JSON report that jest writes and vitest writes alike. */
import * as z from 'zod';
import { failureOf, type TestOutcome } from './runner.ts';

const schema = z.looseObject({
  testResults: z.array(
    z.looseObject({
      name: z.string(),
      message: z.string().nullish(),
      assertionResults: z.array(
        z.looseObject({
          ancestorTitles: z.array(z.string()),
          title: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});

export function readJestReport(text: string): readonly TestOutcome[] | null {
  const { data } = schema.safeParse(parsed(text));
  // A file that could not be loaded is in the report, with a message and without tests.
  if (!data || data.testResults.every((file) => file.assertionResults.length === 0)) return null;
  return data.testResults.flatMap((file) =>
    file.assertionResults.map((test): TestOutcome => {
      const state = test.status === 'passed' ? 'passed' : test.status === 'failed' ? 'failed' : 'skipped';
      const stack = test.failureMessages?.[0] ?? '';
      return {
        title: test.title,
        full: [...test.ancestorTitles, test.title].join(' '),
        file: file.name,
        state,
        failure: state === 'failed' ? failureOf(stack) : null,
      };
    }),
  );
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
