/** The panel's looks. Theme tokens only; every state also differs by shape and word. */
import { css } from 'lit';

export const panelStyles = css`
  :host {
    --line: var(--vscode-panel-border, var(--vscode-widget-border, transparent));
    --edge: var(--vscode-contrastBorder, var(--line));
    --quiet: var(--vscode-descriptionForeground);
    --gap: 12px;
    display: block;
    max-width: 1180px;
    margin: 0 auto;
    padding: 20px 24px 48px;
    color: var(--vscode-foreground);
    font-family: var(--vscode-font-family);
    font-size: var(--vscode-font-size);
    line-height: 1.45;
  }

  *,
  *::before {
    box-sizing: border-box;
  }

  .hidden {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }

  .mark {
    flex: none;
    fill: none;
    stroke: currentColor;
    stroke-width: 1.3;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  .mark .solid {
    fill: currentColor;
    stroke: none;
  }

  button {
    font: inherit;
    color: inherit;
    background: none;
    border: 0;
    margin: 0;
    padding: 0;
    cursor: pointer;
  }
  :focus {
    outline: none;
  }
  :focus-visible {
    outline: 2px solid var(--vscode-focusBorder);
    outline-offset: 1px;
  }

  /* ---------------------------------------------------------------- head */

  header {
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    gap: 6px 24px;
    align-items: start;
    margin-bottom: 18px;
  }
  h1 {
    margin: 0;
    font-size: 1.6em;
    font-weight: 600;
    line-height: 1.25;
    overflow-wrap: anywhere;
  }
  .facts {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 14px;
    align-items: center;
    margin-top: 6px;
    color: var(--quiet);
  }
  .tag {
    padding: 0 7px;
    border: 1px solid var(--edge);
    border-radius: 9px;
    background: var(--vscode-badge-background);
    color: var(--vscode-badge-foreground);
    font-size: 0.88em;
    line-height: 18px;
  }
  .link {
    display: inline-flex;
    align-items: center;
    gap: 5px;
    max-width: 100%;
    color: var(--vscode-textLink-foreground);
    text-align: start;
    border-radius: 3px;
    overflow-wrap: anywhere;
  }
  .link:hover {
    color: var(--vscode-textLink-activeForeground);
    text-decoration: underline;
  }
  code,
  .code {
    font-family: var(--vscode-editor-font-family);
    font-size: 0.94em;
  }

  .summary {
    min-width: 190px;
    text-align: end;
  }
  .summary strong {
    font-size: 1.15em;
    font-weight: 600;
  }
  .summary .more {
    color: var(--quiet);
  }
  .meter {
    display: flex;
    gap: 2px;
    height: 8px;
    margin: 7px 0 6px;
  }
  .meter span {
    flex: 1;
    border: 1px solid var(--vscode-foreground);
    border-radius: 2px;
    opacity: 0.55;
  }
  .meter span.decided {
    background: var(--vscode-progressBar-background);
    border-color: var(--vscode-contrastBorder, var(--vscode-progressBar-background));
    opacity: 1;
  }

  .contract {
    display: grid;
    gap: 5px;
    margin-bottom: 22px;
  }
  .label {
    font-weight: 600;
  }
  .label .hint,
  .hint {
    font-weight: normal;
    color: var(--quiet);
  }
  vscode-textarea,
  vscode-textfield,
  vscode-single-select {
    width: 100%;
    max-width: 100%;
  }

  .notice {
    display: flex;
    gap: 10px;
    align-items: flex-start;
    padding: 10px 12px;
    margin-bottom: 16px;
    border: 1px solid var(--vscode-inputValidation-warningBorder);
    border-radius: 4px;
    background: var(--vscode-inputValidation-warningBackground);
    color: var(--vscode-inputValidation-warningForeground, var(--vscode-foreground));
  }
  .notice.error {
    border-color: var(--vscode-inputValidation-errorBorder);
    background: var(--vscode-inputValidation-errorBackground);
    color: var(--vscode-inputValidation-errorForeground, var(--vscode-foreground));
  }
  .notice .mark {
    margin-top: 3px;
  }
  .notice h2,
  .notice p {
    margin: 0 0 6px;
    font-size: 1em;
  }
  .notice ul {
    margin: 0 0 8px;
    padding-inline-start: 18px;
  }
  .notice .link {
    color: inherit;
    text-decoration: underline;
  }

  /* ---------------------------------------------------------------- grid */

  table {
    width: 100%;
    border-collapse: separate;
    border-spacing: 0;
    table-layout: fixed;
  }
  col.where {
    width: 19%;
  }
  col.verdict {
    width: 342px;
  }
  col.state {
    width: 118px;
  }
  thead th {
    padding: 0 10px 6px;
    text-align: start;
    font-weight: normal;
    color: var(--quiet);
    border-bottom: 1px solid var(--edge);
  }
  .lens th {
    padding: 20px 0 8px 10px;
    text-align: start;
    font-weight: normal;
  }
  .lens h2 {
    display: inline;
    margin: 0 8px 0 0;
    font-size: 1.08em;
    font-weight: 600;
  }
  .lens .count {
    color: var(--quiet);
  }
  .lenshead {
    display: flex;
    flex-wrap: wrap;
    gap: 2px 12px;
    align-items: baseline;
    justify-content: space-between;
  }
  .add {
    display: inline-flex;
    gap: 5px;
    align-items: center;
    padding: 1px 8px;
    border-radius: 4px;
    color: var(--vscode-textLink-foreground);
  }
  .add:hover {
    background: var(--vscode-toolbar-hoverBackground);
  }

  .row > td {
    padding: 9px 10px;
    vertical-align: top;
    border-top: 1px solid var(--line);
    overflow-wrap: anywhere;
  }
  .lens + .row > td {
    border-top-color: transparent;
  }
  .row {
    cursor: default;
  }
  .row:hover > td {
    background: var(--vscode-list-hoverBackground);
  }
  .row[aria-selected='true'] > td,
  .row[aria-selected='true'] + .detail > td {
    background: var(--vscode-list-inactiveSelectionBackground);
    color: var(--vscode-list-inactiveSelectionForeground, var(--vscode-foreground));
  }
  .row > td:first-child {
    border-start-start-radius: 5px;
  }
  .mode {
    display: flex;
    gap: 7px;
  }
  .row > td:last-child {
    border-start-end-radius: 5px;
  }
  .row[aria-selected='true']:not(.open) > td:first-child {
    border-end-start-radius: 5px;
  }
  .row[aria-selected='true']:not(.open) > td:last-child {
    border-end-end-radius: 5px;
  }
  .row:focus-visible {
    outline: 2px solid var(--vscode-focusBorder);
    outline-offset: -2px;
    border-radius: 5px;
  }
  .turn {
    flex: none;
    height: 14px;
    margin-top: 2px;
    line-height: 0;
    color: var(--quiet);
    transition: transform 90ms ease-out;
  }
  .open .turn {
    transform: rotate(90deg);
  }
  @media (prefers-reduced-motion: reduce) {
    .turn {
      transition: none;
    }
  }
  .failure {
    font-weight: 500;
  }
  .retired .failure {
    text-decoration: line-through;
  }
  .decision {
    margin-top: 3px;
    color: var(--quiet);
  }
  [aria-selected='true'] .decision,
  [aria-selected='true'] .hint,
  [aria-selected='true'] + .detail .hint {
    color: inherit;
  }
  .missing {
    font-style: italic;
  }

  .verdicts {
    display: inline-flex;
    flex-wrap: wrap;
    gap: 3px;
  }
  .verdicts button {
    display: inline-flex;
    gap: 5px;
    align-items: center;
    padding: 2px 8px 2px 6px;
    border: 1px solid transparent;
    border-radius: 4px;
    line-height: 20px;
  }
  .verdicts button.small {
    padding: 2px 5px;
  }
  .verdicts button:hover {
    background: var(--vscode-toolbar-hoverBackground);
  }
  .verdicts button[aria-checked='true'] {
    background: var(--vscode-button-background);
    border-color: var(--vscode-contrastBorder, var(--vscode-button-border, transparent));
    color: var(--vscode-button-foreground);
    font-weight: 600;
  }
  .verdicts button.small[aria-checked='true'] {
    background: var(--vscode-toolbar-hoverBackground);
    border-color: currentColor;
    color: inherit;
  }

  .badge {
    display: inline-flex;
    gap: 5px;
    align-items: center;
    line-height: 26px;
    white-space: nowrap;
  }
  .badge .mark {
    color: var(--vscode-foreground);
  }
  .badge.closed .mark {
    color: var(--vscode-testing-iconPassed);
  }
  .badge.stale .mark,
  .badge.incomplete .mark,
  .badge.unproven .mark {
    color: var(--vscode-list-warningForeground);
  }
  .badge.blocked .mark {
    color: var(--vscode-list-errorForeground);
  }

  .detail > td {
    padding: 2px 14px 16px 31px;
    border-end-start-radius: 5px;
    border-end-end-radius: 5px;
  }
  .fields {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(240px, 100%), 1fr));
    gap: 10px 16px;
    margin-top: 8px;
    padding-top: 12px;
    border-top: 1px solid var(--line);
  }
  .field {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 4px;
    align-content: start;
  }
  .field.wide {
    grid-column: 1 / -1;
  }
  .about {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 18px;
    align-items: baseline;
  }
  .why {
    flex-basis: 100%;
  }
  .keys {
    flex-basis: 100%;
  }
  kbd {
    padding: 0 5px;
    border: 1px solid var(--vscode-keybindingLabel-border, var(--edge));
    border-radius: 3px;
    background: var(--vscode-keybindingLabel-background);
    color: var(--vscode-keybindingLabel-foreground);
    font-family: inherit;
    font-size: 0.9em;
  }

  .empty > td {
    padding: 2px 10px 8px 30px;
    color: var(--quiet);
  }
  .newrow > td {
    padding: 6px 10px 10px 30px;
  }
  .newrow form {
    display: flex;
    gap: 8px;
    align-items: center;
  }
  .newrow vscode-textfield {
    flex: 1;
  }

  footer {
    margin-top: 30px;
    padding-top: 12px;
    border-top: 1px solid var(--line);
    color: var(--quiet);
    display: flex;
    flex-wrap: wrap;
    gap: 6px 20px;
    justify-content: space-between;
  }
  footer ul {
    margin: 4px 0 0;
    padding-inline-start: 18px;
  }

  /* At 200 % zoom and in a narrow column the cells of a row stand below each other. */
  @media (max-width: 820px) {
    :host {
      padding: 14px 12px 40px;
    }
    header {
      grid-template-columns: minmax(0, 1fr);
    }
    .summary {
      text-align: start;
    }
    col {
      width: auto !important;
    }
    thead {
      position: absolute;
      clip-path: inset(50%);
      width: 1px;
      height: 1px;
      overflow: hidden;
    }
    table,
    tbody,
    .lens,
    .lens th,
    .row,
    .row > td,
    .detail,
    .detail > td,
    .empty,
    .empty > td,
    .newrow,
    .newrow > td {
      display: block;
      width: 100%;
    }
    .row > td + td {
      padding: 0 10px 4px 30px;
      border-top: 0;
    }
    .row > td:last-child {
      padding-bottom: 9px;
    }
    .row > td:first-child,
    .row > td:last-child {
      border-radius: 0 !important;
    }
    .lens th {
      padding-inline-end: 0;
    }
    .add {
      padding-inline-start: 0;
    }
  }
`;
