import { describe, expect, it } from 'vitest';
import { channelRegistry } from '../../src/channels/registry.ts';
import { checkTemplate } from '../../src/routing/checkTemplate.ts';
import { ConfigFileError } from '../../src/setup/ConfigFileError.ts';
import { parseConfig } from '../../src/setup/readConfigFile.ts';
import { exampleConfig, exampleEnv } from './exampleConfig.ts';

const context = { env: exampleEnv, channels: channelRegistry, checkTemplate };

const placeholder = `\${LEMMY_PASSWORD}`;

function read(text: string) {
  return parseConfig(text, 'config.yaml', context);
}

function problemsOf(text: string): readonly string[] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof ConfigFileError) return error.problems;
    throw error;
  }
  return [];
}

describe('an account of a platform that logs in', () => {
  it('is read as its platform reads it, secrets apart', () => {
    const { accounts } = read(
      `accounts: [{ name: bot, platform: lemmy, instance: "https://Lemmy.example/", username: bot, password: "${placeholder}" }]`,
    );

    expect(accounts).toMatchObject([
      {
        name: 'bot',
        platform: 'lemmy',
        instance: 'https://lemmy.example',
        username: 'bot',
        isActive: true,
        secrets: { password: { value: exampleEnv.LEMMY_PASSWORD, from: placeholder } },
      },
    ]);
  });

  it('makes its channels what they are: the instance is its own', () => {
    const { channels } = read(exampleConfig);

    expect(channels).toMatchObject([
      { name: 'tech', instance: 'https://lemmy.example', target: expect.stringContaining('technology') },
      { name: 'hook' },
      { name: 'outbox' },
    ]);
  });

  it('says what is missing and what is not known, with what its platform has', () => {
    const problems = problemsOf(
      'accounts:\n  - { name: bot, platform: mastodon, instance: "social.example", usernam: bot, token: hunter2-token }',
    );

    expect(problems.join('\n')).toMatch(/accounts\[0\]\.usernam: unknown key, allowed .*username/);
    expect(problems.join('\n')).toMatch(/accounts\[0\]\.instance: must be /);
    expect(problems.join('\n')).not.toContain('hunter2');
  });

  it('never shows a private key that stands where the public one belongs', () => {
    const nsec = 'nsec1qyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqsm2gldk';
    const problems = problemsOf(
      `accounts: [{ name: a, platform: nostr, username: "${nsec}", privateKey: "npub1x" }]`,
    );

    expect(problems.join('\n')).toContain('accounts[0].username: must be a public key');
    expect(problems.join('\n')).not.toContain('nsec1qy');
  });

  it('cannot be shared by channels of another platform', () => {
    const problems = problemsOf(
      `accounts: [{ name: bot, platform: telegram, token: "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0" }]
channels: [{ name: c, platform: mastodon, account: bot }]`,
    );

    expect(problems).toEqual([
      'config.yaml:2: channels[0].account: account bot is one of telegram, allowed one of mastodon',
    ]);
  });
});
