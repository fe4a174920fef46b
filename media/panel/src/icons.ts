/** Small drawn marks, so that no meaning hangs on colour alone. All are decoration: the words beside them speak. */
import type { TemplateResult } from 'lit';
import { svg } from 'lit';
import type { RowState, Verdict } from '../../../server/src/protocol/messages.ts';

function mark(shape: TemplateResult<2>): TemplateResult<2> {
  return svg`<svg class="mark" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" focusable="false">${shape}</svg>`;
}

const eye = svg`<path d="M1.5 8C3 5 5.3 3.6 8 3.6S13 5 14.5 8C13 11 10.7 12.4 8 12.4S3 11 1.5 8Z"/><circle cx="8" cy="8" r="2.1"/>`;
const shield = svg`<path d="M8 1.8 13 3.6V8c0 3-2 5.2-5 6.3C5 13.2 3 11 3 8V3.600Z"/><path d="m5.800 8 1.600 1.600 3-3.200"/>`;
const hand = svg`<circle cx="8" cy="8" r="6"/><path d="M5 8.200h6"/>`;
const stop = svg`<path d="M5.400 1.800h5.200l3.600 3.600v5.200l-3.600 3.600H5.400L1.800 10.600V5.400Z"/><path d="M8 4.800v4"/><circle cx="8" cy="11" r=".4"/>`;
const open = svg`<circle cx="8" cy="8" r="6" stroke-dasharray="2.400 2.300"/>`;
const half = svg`<circle cx="8" cy="8" r="6"/><path d="M8 2v12" /><path class="solid" d="M8 2a6 6 0 0 0 0 12Z"/>`;
const tick = svg`<circle cx="8" cy="8" r="6"/><path d="m5.200 8.200 2 2 3.600-4.200"/>`;
const clock = svg`<circle cx="8" cy="8" r="6"/><path d="M8 4.600V8l2.400 1.600"/>`;
const flask = svg`<path d="M6.200 2h3.600M7 2v4L3.400 12.200c-.4.800.100 1.800 1 1.800h7.200c.9 0 1.400-1 1-1.800L9 6V2"/><path d="M5 10h6"/>`;
const box = svg`<path d="M2.500 5h11v8.500h-11ZM2 2.500h12V5H2ZM6 8h4"/>`;

export const verdictIcon = (verdict: Verdict): TemplateResult<2> =>
  mark({ undecided: open, detect: eye, handle: shield, accept: hand, blocked: stop }[verdict]);

export const stateIcon = (state: RowState): TemplateResult<2> =>
  mark(
    {
      undecided: open,
      incomplete: half,
      unproven: flask,
      closed: tick,
      stale: clock,
      blocked: stop,
      retired: box,
    }[state],
  );

export const chevron = mark(svg`<path d="m6 3.500 4.500 4.500L6 12.500"/>`);
export const plus = mark(svg`<path d="M8 3v10M3 8h10"/>`);
export const link = mark(svg`<path d="M9 2.500h4.500V7M13.500 2.500 7.500 8.500M11.500 9v4.500h-9v-9H7"/>`);
export const alert = mark(
  svg`<path d="M8 2 14.500 13.500h-13Z"/><path d="M8 6.500V10"/><circle cx="8" cy="11.900" r=".4"/>`,
);
