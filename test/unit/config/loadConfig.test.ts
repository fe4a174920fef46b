import { strict as assert } from 'node:assert';
import { loadConfig } from '../../../server/src/config/loadConfig.ts';
import { DEFAULT_CONFIG } from '../../../server/src/config/schema.ts';
import { createNodeFileHost } from '../../../server/src/node/nodeFileHost.ts';
import { tempFolder } from '../node/tempFolder.ts';

describe('loadConfig', () => {
  const host = createNodeFileHost();
  const load = (files: Record<string, string | Uint8Array>): ReturnType<typeof loadConfig> => {
    const folder = tempFolder(files);
    try {
      return loadConfig(host, folder.path, []);
    } finally {
      folder.remove();
    }
  };

  it('gives defaults where there is no file', () => {
    assert.deepEqual(load({}), { config: DEFAULT_CONFIG, problems: [] });
  });

  it('reads a file with a byte order mark and CRLF', () => {
    assert.deepEqual(load({ '.sixlens/config.yaml': '\uFEFFpreset: essential\r\nexclude:\r\n  - a\r\n' }), {
      config: { ...DEFAULT_CONFIG, preset: 'essential', exclude: ['a'] },
      problems: [],
    });
  });

  it('says that a file of the wrong name is not read', () => {
    const { config, problems } = load({ '.sixlens/config.yml': 'preset: strict' });
    assert.equal(config.preset, undefined);
    assert.match(problems[0]?.message ?? '', /rename it to \.sixlens\/config\.yaml/);
    assert.equal(problems[0]?.file, '.sixlens/config.yml');
  });

  it('says that a folder in its place cannot be read', () => {
    assert.match(load({ '.sixlens/config.yaml/x': '' }).problems[0]?.message ?? '', /cannot be read/);
  });
});
