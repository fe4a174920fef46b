/** Compares measured figures with the budgets of `budgets.json`. Pure: knows neither tools nor clocks. */
import { z } from 'zod';

const budgetSchema = z.strictObject({
  id: z.string(),
  what: z.string(),
  /** Name of the figure that must stay low. */
  measure: z.string(),
  /** Name of the figure it is divided by; without it `max` is in the figure's own unit. */
  of: z.string().optional(),
  max: z.number().positive(),
  unit: z.string(),
  /** The budget counts only on inputs of at least this many files. */
  minFiles: z.number().int().optional(),
});

export const budgetsSchema = z.strictObject({ budgets: z.array(budgetSchema).min(1) });

export type Budget = z.infer<typeof budgetSchema>;

/** Flat: `sixlens.cold.seconds` → 2.1. */
export type Figures = ReadonlyMap<string, number>;

export interface Verdict {
  readonly budget: Budget;
  /** The ratio or the figure; null when something it needs was not measured. */
  readonly value: number | null;
  readonly outcome: 'pass' | 'FAIL' | 'not measured';
}

export function judge(budgets: readonly Budget[], figures: Figures, fileCount: number): Verdict[] {
  return budgets.map((budget) => {
    const measured = figures.get(budget.measure);
    const against = budget.of === undefined ? 1 : figures.get(budget.of);
    const counts = budget.minFiles === undefined || fileCount >= budget.minFiles;
    if (measured === undefined || !against || !counts)
      return { budget, value: null, outcome: 'not measured' };
    const value = measured / against;
    return { budget, value, outcome: value <= budget.max ? 'pass' : 'FAIL' };
  });
}
