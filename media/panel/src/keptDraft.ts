/** A property binding that never writes over what somebody is typing: a focused control keeps its draft. */
import { noChange } from 'lit';
import type { PropertyPart } from 'lit/directive.js';
import { Directive, directive } from 'lit/directive.js';

class KeptDraft extends Directive {
  private last: string | undefined;

  override render(value: string): unknown {
    return value;
  }

  override update(part: PropertyPart, [value]: [string]): unknown {
    const first = this.last === undefined;
    const changed = this.last !== value;
    const focused = part.element.matches(':focus, :focus-within');
    if (!first && focused) {
      // Written once the control is left, by whichever render comes then.
      return noChange;
    }
    this.last = value;
    if (first || changed || (part.element as HTMLElement & { value?: string }).value !== value) return value;
    return noChange;
  }
}

export const keptDraft = directive(KeptDraft);
