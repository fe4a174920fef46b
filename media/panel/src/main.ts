/** The page's entry: registers the elements and joins the panel to the editor. */
import '@vscode-elements/elements/dist/vscode-button/index.js';
import '@vscode-elements/elements/dist/vscode-option/index.js';
import '@vscode-elements/elements/dist/vscode-single-select/index.js';
import '@vscode-elements/elements/dist/vscode-textarea/index.js';
import '@vscode-elements/elements/dist/vscode-textfield/index.js';
import { PanelApp } from './panelApp.ts';
import type { EditorApi } from './port.ts';
import { loadTexts } from './texts.ts';

declare const acquireVsCodeApi: () => EditorApi;

loadTexts(document);
customElements.define('sixlens-panel', PanelApp);
const panel = document.querySelector('sixlens-panel');
if (panel instanceof PanelApp) panel.connect(acquireVsCodeApi());
