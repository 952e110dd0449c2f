const html = /^(?:text\/html|application\/xhtml\+xml)$/;
/** Types that say nothing, or too little: the bytes decide. */
const vague = /^(?:|application\/octet-stream|application\/xml|text\/xml)$/;

const sniffedBytes = 1024;
// The beginnings by which the MIME Sniffing standard knows a page, as far as they stand before one. A comment ends
// at its first end in every reading: were there more than one, a row of comments would take years.
const beginning =
  /^(?:\uFEFF|ï»¿)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype\s+html|html|head|title|meta|body)[\s/>]/i;

/** Whether an answer is a page: by its Content-Type, or by its beginning where that is null or says little. */
export function isHtml(contentType: string | null, body: Buffer): boolean {
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (html.test(type)) return true;
  if (!vague.test(type)) return false;
  // Without the zeros and marks of UTF-16, which are all that parts its ASCII from that of others.
  const head = body
    .subarray(0, sniffedBytes)
    .toString('latin1')
    .replace(/\0/g, '')
    .replace(/^(?:ÿþ|þÿ)/, '');
  return beginning.test(head);
}
