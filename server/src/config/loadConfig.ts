/** Finds and reads the config file of one root. */
import type { FileHost } from '../host/fileHost.ts';
import { parseConfig, type ConfigRead } from './parseConfig.ts';
import { CONFIG_FILE, DEFAULT_CONFIG } from './schema.ts';

/** Defaults and no problem when there is no file. `root` is absolute. */
export function loadConfig(host: FileHost, root: string, knownRules: Iterable<string> | null): ConfigRead {
  const read = host.readText(`${root}/${CONFIG_FILE}`);
  if (!read) {
    const short = CONFIG_FILE.replace(/\.yaml$/, '.yml');
    if (host.exists(`${root}/${CONFIG_FILE}`) || !host.exists(`${root}/${short}`)) {
      if (!host.exists(`${root}/${CONFIG_FILE}`)) return { config: DEFAULT_CONFIG, problems: [] };
      return {
        config: DEFAULT_CONFIG,
        problems: [
          {
            code: 'config-invalid',
            message: 'The file cannot be read; defaults are used.',
            file: CONFIG_FILE,
            severity: 'error',
          },
        ],
      };
    }
    return {
      config: DEFAULT_CONFIG,
      problems: [
        {
          code: 'config-invalid',
          message: `Not read: rename it to ${CONFIG_FILE}.`,
          file: short,
          severity: 'error',
        },
      ],
    };
  }
  const { config, problems } = parseConfig(read.text, knownRules);
  return {
    config,
    problems: read.problem ? [...problems, { ...read.problem, file: CONFIG_FILE }] : problems,
  };
}
