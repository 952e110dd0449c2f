const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;

/** Shows on standard error that work goes on, while a person watches; nothing in a pipe. */
export function startProgress(what: string): { end: () => void } {
  const { stderr } = process;
  if (!stderr.isTTY) return { end: () => {} };
  let frame = 0;
  const timer = setInterval(() => {
    stderr.write(`\r${frames[frame++ % frames.length]} ${what} …`);
  }, frameMs);
  return {
    end: () => {
      clearInterval(timer);
      stderr.write('\r\x1b[K');
    },
  };
}
