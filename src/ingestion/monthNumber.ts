/** Beginnings that mean one month alone, in English and in the languages whose programs write their own. */
const beginnings = [
  ['jan', 'ene', 'gen'],
  ['feb', 'fev', 'fév'],
  ['mar', 'mär', 'mrt'],
  ['apr', 'avr', 'abr'],
  ['may', 'mai', 'mag', 'mei'],
  ['jun', 'juin', 'giu'],
  ['jul', 'juil', 'lug'],
  ['aug', 'aoû', 'ago'],
  ['sep', 'set'],
  ['oct', 'okt', 'ott', 'out'],
  ['nov'],
  ['dec', 'dez', 'déc', 'dic'],
] as const;

/** The month, 1 to 12, that a number or a name stands for, whole or shortened; null: none. */
export function monthNumber(text: string): number | null {
  const name = text.normalize('NFC').toLowerCase();
  const place = /^\d+$/.test(name)
    ? Number(name) - 1
    : beginnings.findIndex(ways => ways.some(way => name.startsWith(way)));
  return place in beginnings ? place + 1 : null;
}
