import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { channelRegistry } from '../src/channels/registry.ts';
import { checkTemplate } from '../src/routing/checkTemplate.ts';
import { parseConfig } from '../src/setup/readConfigFile.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const links = [...readme.matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g)].map(([, text = '', target = '']) => ({
  text,
  target,
}));
const faultTests = readdirSync(join(root, 'test/faults')).filter(name => name.endsWith('.test.ts'));
const faultText = new Map(
  faultTests.map(name => [`test/faults/${name}`, readFileSync(join(root, 'test/faults', name), 'utf8')]),
);

// F47 is not one.
const faults = [
  ...Array.from({ length: 48 }, (_, index) => `F${index + 1}`).filter(name => name !== 'F47'),
  'F15b',
];

describe('the page', () => {
  it('links to what is there', () => {
    const files = links.filter(({ target }) => !/^(https?:|#)/.test(target));

    expect(files.length).toBeGreaterThan(30);
    expect(files.filter(({ target }) => !existsSync(join(root, target)))).toEqual([]);
  });

  it('links to its own headings', () => {
    const headings = [...readme.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => `#${anchorOf(heading)}`);
    const anchors = links.map(({ target }) => target).filter(target => target.startsWith('#'));

    expect(anchors.filter(anchor => !headings.includes(anchor))).toEqual([]);
  });

  it('names faults where they are tested', () => {
    const named = links.filter(({ target }) => faultText.has(target));
    const astray = named.flatMap(({ text, target }) =>
      [...text.matchAll(/F\d+b?/g)].filter(([fault]) => !isTested(fault, faultText.get(target) ?? '')),
    );

    expect(named.length).toBeGreaterThan(5);
    expect(astray).toEqual([]);
  });
});

describe('the examples of config.yaml', () => {
  const examples = [...readme.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  // What stands for the reader's own secrets, each of the form that its platform asks for.
  const env = {
    BLUESKY_APP_PASSWORD: 'abcd-efgh-ijkl-mnop',
    DISCORD_WEBHOOK: 'https://discord.com/api/webhooks/123456789012345678/a-token_of-68-characters',
    GHOST_ADMIN_KEY: `${'0'.repeat(24)}:${'1'.repeat(64)}`,
    HOOK_SECRET: 'a secret of the receiver',
    LEMMY_PASSWORD: 'a password',
    MASTODON_TOKEN: 'an access token',
    NOSTR_KEY: '1'.padStart(64, '0'),
    SLACK_WEBHOOK: 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
    TELEGRAM_TOKEN: '123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0',
    WORDPRESS_APP_PASSWORD: 'abcd EFGH 1234 ijkl MNOP 5678',
  };

  it('name every platform', () => {
    const named = [...channelRegistry.keys()].filter(platform =>
      examples.some(text => text.includes(`platform: ${platform}`)),
    );

    expect(named).toEqual([...channelRegistry.keys()]);
  });

  it.each(examples)('can be applied: %s', text => {
    const setup = parseConfig(text, 'config.yaml', { env, channels: channelRegistry, checkTemplate });

    expect(setup.channels.length).toBeGreaterThan(0);
  });
});

describe('the faults', () => {
  it.each(faults)('have a test of their own name: %s', fault => {
    expect([...faultText.values()].some(text => isTested(fault, text))).toBe(true);
  });
});

/** In the name of a test, or of a group of them. */
function isTested(fault: string, text: string): boolean {
  return new RegExp(`['"\`]${fault}[ ,:]|, ${fault}[ ,:]`).test(text);
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}
