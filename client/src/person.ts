/** Who is deciding: the name that git would sign with, else the system's user. */
import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import * as vscode from 'vscode';

/** In an untrusted workspace nothing is started, not even git. */
export async function personOf(uri: vscode.Uri): Promise<string> {
  const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath;
  const fallback = systemUser();
  if (!vscode.workspace.isTrusted || folder === undefined) return fallback;
  return new Promise((resolve) => {
    execFile('git', ['config', 'user.name'], { cwd: folder, timeout: 2000 }, (error, stdout) => {
      const name = stdout.trim();
      resolve(error || name === '' ? fallback : name);
    });
  });
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}
