import { decodeHTMLStrict } from 'entities';

/** Decodes HTML character references, once. An unknown name, or one without its semicolon, stays as it is. */
export function decodeEntities(text: string): string {
  return text.includes('&') ? decodeHTMLStrict(text) : text;
}
