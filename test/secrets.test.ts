import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSecretBox, fixedRing, openSecrets, sealSecrets, unsealSettings } from '../src/secrets.ts';

const box = createSecretBox(randomBytes(32));
const notThisKey = 'cannot be opened with this HEADWAY_SECRET_KEY';

describe('createSecretBox', () => {
  it('opens what it sealed', () => {
    const sealed = box.seal('hunter2 ☂', 'channels');

    expect(box.open(sealed, 'channels')).toBe('hunter2 ☂');
  });

  it('seals the same text differently each time and never in plain', () => {
    const [first, second] = [box.seal('hunter2', 'channels'), box.seal('hunter2', 'channels')];

    expect(first.equals(second)).toBe(false);
    expect(first.includes('hunter2')).toBe(false);
  });

  it('refuses another key, another context and any changed byte, without the content', () => {
    const sealed = box.seal('hunter2', 'channels');
    const changed = [...sealed.keys()].map(place => {
      const copy = Buffer.from(sealed);
      copy.writeUInt8(copy.readUInt8(place) ^ 1, place);
      return copy;
    });

    expect(() => createSecretBox(randomBytes(32)).open(sealed, 'channels')).toThrow(notThisKey);
    expect(() => box.open(sealed, 'accounts')).toThrow(notThisKey);
    expect(() => box.open(Buffer.alloc(0), 'channels')).toThrow(notThisKey);
    expect(() => box.open(sealed.subarray(0, 20), 'channels')).toThrow(notThisKey);
    for (const forged of changed) expect(() => box.open(forged, 'channels')).toThrow(notThisKey);
  });

  it('refuses a key of another length', () => {
    expect(() => createSecretBox(randomBytes(16))).toThrow('32 bytes');
  });
});

describe('createSecretBox of a ring', () => {
  const [newest, older, oldest] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;

  it('opens with every key and seals with the first', () => {
    const ringBox = createSecretBox(fixedRing([newest, older, oldest]));
    const sealed = ringBox.seal('hunter2', 'accounts');

    for (const key of [newest, older, oldest]) {
      expect(ringBox.open(createSecretBox(key).seal('hunter2', 'accounts'), 'accounts')).toBe('hunter2');
    }
    expect(createSecretBox(newest).open(sealed, 'accounts')).toBe('hunter2');
    expect(() => createSecretBox(fixedRing([older, oldest])).open(sealed, 'accounts')).toThrow(notThisKey);
  });

  it('opens nothing under another context', () => {
    const ringBox = createSecretBox(fixedRing([newest, older]));

    expect(() => ringBox.open(createSecretBox(older).seal('hunter2', 'accounts'), 'channels')).toThrow(
      notThisKey,
    );
  });

  it('refuses a ring with a key of another length', () => {
    expect(() => fixedRing([newest, randomBytes(31)])).toThrow('32 bytes');
  });
});

describe('sealSecrets', () => {
  it('keeps values and where they came from', () => {
    const secrets = { token: { value: 'abc', from: `\${TOKEN}` }, keys: { value: ['a', 'b'], from: null } };

    const sealed = sealSecrets(secrets, box, 'accounts');

    expect(openSecrets(sealed, box, 'accounts')).toEqual(secrets);
  });

  it('seals nothing as nothing', () => {
    expect(sealSecrets({}, box, 'accounts')).toBeNull();
    expect(openSecrets(null, box, 'accounts')).toEqual({});
  });
});

describe('unsealSettings', () => {
  it('puts the secrets back among the settings', () => {
    const secrets = sealSecrets({ secret: { value: 'abc', from: null } }, box, 'channels');

    expect(unsealSettings({ settings: { url: 'https://x.example' }, secrets }, box)).toEqual({
      url: 'https://x.example',
      secret: 'abc',
    });
  });

  it('answers with the settings alone where there is no secret', () => {
    expect(unsealSettings({ settings: { folder: './out' }, secrets: null }, box)).toEqual({
      folder: './out',
    });
  });
});
