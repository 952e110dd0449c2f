const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;

/**
 * Shows on standard error that work goes on, while a person watches; nothing in a pipe. What changes meanwhile
 * is asked for at each turn.
 */
export function startProgress(what: string | (() => string)): { end: () => void } {
  const { stderr } = process;
  if (!stderr.isTTY) return { end: () => {} };
  let frame = 0;
  const timer = setInterval(() => {
    const text = typeof what === 'string' ? what : what();
    stderr.write(`\r\x1b[K${frames[frame++ % frames.length]} ${text} …`);
  }, frameMs);
  return {
    end: () => {
      clearInterval(timer);
      stderr.write('\r\x1b[K');
    },
  };
}
