/** The panel's page: one script, no inline code, nothing from outside. */
import * as vscode from 'vscode';
import { randomBytes } from 'node:crypto';

export function panelHtml(webview: vscode.Webview, extension: vscode.Uri): string {
  const nonce = randomBytes(16).toString('base64');
  const script = webview.asWebviewUri(vscode.Uri.joinPath(extension, 'dist', 'panel', 'panel.js'));
  // Lit adopts its style sheets through script, so styles need no exception here.
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource} data:`,
    'img-src data:',
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${escape(vscode.env.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sixlens</title>
<script type="application/json" id="sixlens-texts">${jsonForHtml(vscode.l10n.bundle ?? {})}</script>
</head>
<body>
<sixlens-panel></sixlens-panel>
<script type="module" nonce="${nonce}" src="${escape(script.toString())}"></script>
</body>
</html>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** A `<` inside a data block could end it. */
function jsonForHtml(value: unknown): string {
  return JSON.stringify(value).replace(/</g, '\\u003c');
}
