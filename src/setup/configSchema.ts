import { IANAZone } from 'luxon';
import { z } from 'zod';
import { parseWindow, windowForm } from '../calendar/parseWindow.ts';
import { didYouMean } from '../didYouMean.ts';
import { enrichment } from './enrichment.ts';
import { firstImportForm, parseFirstImport } from './firstImport.ts';
import { choice, dailyCap, duration, field, flag, phrase, wholeNumber, words } from './schemaParts.ts';

const secondMs = 1_000;
const dayMs = 86_400_000;

/** The keys of an account that are sealed at rest, never exported or shown. */
export const accountSecretKeys = ['password', 'token', 'secret', 'appPassword'] as const;

const timezone = z.unknown().transform((value, context): string => {
  if (typeof value === 'string' && IANAZone.isValidZone(value)) return value;
  const hint = typeof value === 'string' ? didYouMean(value, Intl.supportedValuesOf('timeZone')) : '';
  const params = { allowed: `an IANA name such as Europe/Berlin or UTC${hint}` };
  context.addIssue({ code: 'custom', message: 'is not a time zone', params });
  return z.NEVER;
});

const openingWindow = field('is not a window', windowForm, value => {
  if (typeof value !== 'string') return null;
  parseWindow(value);
  return value.trim();
});

/** An entry of `workspaces`. */
export const workspaceSchema = z.strictObject({
  name: words,
  timezone: timezone.default('UTC'),
  dailyCap: dailyCap.default(24),
  tickEvery: duration(secondMs, dayMs).default(300_000),
  windows: z.array(openingWindow).default([]),
  paused: flag.optional(),
});

/** The keys of an account that every platform has; the others are what its platform logs in with. */
export const accountSwitches = z.strictObject({
  workspace: words.optional(),
  name: words,
  platform: words,
  active: flag.default(true),
});

/** An entry of `accounts` of a platform that logs in nowhere, without its secret keys. */
export const accountSchema = accountSwitches.extend({
  instance: words.default(''),
  username: words.optional(),
});

/** The keys of a channel that every platform has; the others are the platform's own. */
export const channelSchema = z.strictObject({
  workspace: words.optional(),
  name: words,
  platform: words,
  account: words.optional(),
  interval: duration(0, 366 * dayMs).default(0),
  dailyCap: dailyCap.default(null),
  paused: flag.optional(),
});

const feedUrl = field(
  'is not a URL of a feed',
  'http:// or https://, without a user name or password',
  value => {
    const url = typeof value === 'string' ? new URL(value) : null;
    const isOpen = url !== null && url.username === '' && url.password === '';
    return isOpen && ['http:', 'https:'].includes(url.protocol) ? (value as string) : null;
  },
);

/** An entry of `feeds`; dates without an offset are read in `zone`. */
export function feedSchema(zone: string) {
  return z.strictObject({
    workspace: words.optional(),
    name: words,
    url: feedUrl,
    every: duration(secondMs, 7 * dayMs).default(900_000),
    firstImport: field('is not a first import', firstImportForm, value =>
      parseFirstImport(value, zone),
    ).default({
      mode: 'baseline',
    }),
    maxAge: duration(secondMs, 36_500 * dayMs).optional(),
    enrich: enrichment.default(null),
    paused: flag.optional(),
  });
}

/** An entry of `routes`; `checkTemplate` answers with what is wrong with a template. */
export function routeSchema(checkTemplate: (template: string) => readonly string[]) {
  return z.strictObject({
    workspace: words.optional(),
    feed: words,
    channel: words,
    approval: choice(['auto', 'manual']).default('manual'),
    priority: wholeNumber(-32_768, 32_767).default(0),
    include: z.array(phrase).default([]),
    exclude: z.array(phrase).default([]),
    template: template(checkTemplate).default('{{ title }}'),
    edits: choice(['ask', 'follow']).optional(),
  });
}

function template(checkTemplate: (template: string) => readonly string[]) {
  return z.unknown().transform((value, context): string => {
    const isText = typeof value === 'string' && value.trim() !== '';
    const problems = isText ? checkTemplate(value) : ['must be text'];
    for (const message of problems) context.addIssue({ code: 'custom', message });
    return isText && problems.length === 0 ? value : z.NEVER;
  });
}
