/** Where this tool may keep its cache: a folder of the user's, never one in a repository (a cloned cache could lie). */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

/**
 * `SIXLENS_CACHE_DIR` wins; `off` or an empty value means no cache. Otherwise the system's folder for caches.
 * Null when nothing is to be cached.
 */
export function userCacheFolder(
  env: Readonly<Record<string, string | undefined>>,
  platform: string = process.platform,
  home: string = homedir(),
): string | null {
  const own = env['SIXLENS_CACHE_DIR'];
  if (own !== undefined) return own === '' || own === 'off' ? null : resolve(own);
  const xdg = env['XDG_CACHE_HOME'];
  // The XDG specification has relative values ignored.
  if (xdg && isAbsolute(xdg)) return join(xdg, 'sixlens');
  if (platform === 'win32') {
    const local = env['LOCALAPPDATA'];
    return local ? join(local, 'sixlens', 'Cache') : null;
  }
  if (!home) return null;
  return platform === 'darwin' ? join(home, 'Library', 'Caches', 'sixlens') : join(home, '.cache', 'sixlens');
}
