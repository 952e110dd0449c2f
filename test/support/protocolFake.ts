import { type Behaviour, type FakeReceiver, openFakeReceiver, type ReceivedRequest } from './fakeReceiver.ts';

/** A platform as its clients see it: what it answers, and what it keeps of what it was asked. */
export type ProtocolFake = {
  answer(request: ReceivedRequest): Behaviour;
  /** Whether a request asks for something public. */
  isPost(request: ReceivedRequest): boolean;
  /** What is public there, one name for each post, oldest first. */
  posts(): readonly string[];
};

/** What happens to some requests instead of the platform's own answer. */
export type Fault = {
  /** `before`: the platform never sees the request. `after`: it has done what it was asked for. */
  when: 'before' | 'after';
  behaviour: Behaviour | ((request: ReceivedRequest) => Behaviour);
  /** Which requests. Default: those that ask for something public. */
  on?: (request: ReceivedRequest) => boolean;
  /** How many of them. Default: all. */
  times?: number;
};

export type OpenFake = {
  url: string;
  receiver: FakeReceiver;
  /** The requests that asked for something public. */
  sent(): readonly ReceivedRequest[];
  /** The fault plan: the first that fits a request happens to it. Replaces the one before; none: all is well. */
  plan(...faults: readonly Fault[]): void;
  close(): Promise<void>;
};

/** Puts a fake on a port of its own, with a fault plan in front of it. */
export async function openProtocolFake(fake: ProtocolFake): Promise<OpenFake> {
  const receiver = await openFakeReceiver();
  let faults: { fault: Fault; left: number }[] = [];

  receiver.behave(request => {
    const planned = faults.find(({ fault, left }) => left > 0 && (fault.on ?? fake.isPost)(request));
    if (!planned) return fake.answer(request);
    planned.left -= 1;
    const { when, behaviour } = planned.fault;
    if (when === 'after') fake.answer(request);
    return typeof behaviour === 'function' ? behaviour(request) : behaviour;
  });

  return {
    url: receiver.url,
    receiver,
    sent: () => receiver.requests.filter(fake.isPost),
    plan(...planned) {
      faults = planned.map(fault => ({ fault, left: fault.times ?? Number.POSITIVE_INFINITY }));
    },
    close: receiver.close,
  };
}

/** A fault after which the platform has what was sent, and nobody heard of it. */
export function lostAnswer(kind: 'reset' | 'never_answer' | 'garbage' = 'reset'): Fault {
  return { when: 'after', behaviour: { kind }, times: 1 };
}

/** The answer of a JSON API. */
export function jsonAnswer(status: number, body: unknown, headers: Record<string, string> = {}): Behaviour {
  return {
    kind: 'answer',
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}
