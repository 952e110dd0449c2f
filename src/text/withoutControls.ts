// Also the two marks that turn around all text after them.
const controls = /(?![\t\n])[\p{Cc}\u202d\u202e]/gu;

/**
 * A text without the characters that steer what shows it, a terminal above all. Line breaks are \n; marks that
 * right-to-left text needs stay.
 */
export function withoutControls(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(controls, '');
}
