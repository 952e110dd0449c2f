import { smallPng } from '../../channels/openChannel.ts';
import { openFakeReceiver } from '../../support/fakeReceiver.ts';

export type PictureServer = { url: string; close(): Promise<void> };

/** Where an article's picture lies. */
export async function openPictureServer(): Promise<PictureServer> {
  const { url, behave, close } = await openFakeReceiver();
  behave({ kind: 'answer', status: 200, headers: { 'Content-Type': 'image/png' }, body: smallPng });
  return { url: `${url}/picture.png`, close };
}
