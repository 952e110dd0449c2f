// Started by test/servers/support/startPds.ts: a PDS with the directory that knows its accounts, in one process.
// Plain JavaScript: its packages lie outside the checkout, where no type of theirs can be read.
import { createRequire } from 'node:module';
import { Server } from 'node:net';
import { join } from 'node:path';

const [installed, dataFolder, port] = process.argv.slice(2);
const { adminPassword, signingKey, rotationKey, jwtSecret, hasRateLimits, publicUrl } = JSON.parse(
  process.env.PDS_SETTINGS,
);
const requireInstalled = createRequire(join(installed, 'package.json'));

listenOnLoopbackOnly();
const directoryUrl = await startDirectory();
await startPds();

// Both listen on every address of the machine, and neither can be told otherwise.
function listenOnLoopbackOnly() {
  const { listen } = Server.prototype;
  Server.prototype.listen = function (where, ...rest) {
    const onPort = typeof where === 'number' || typeof where === 'string';
    if (!onPort) return listen.call(this, { ...where, host: '127.0.0.1' }, ...rest);
    return listen.call(this, Number(where), '127.0.0.1', ...rest.filter(arg => typeof arg === 'function'));
  };
}

async function startDirectory() {
  const { Database, PlcServer } = requireInstalled('@did-plc/server');
  const directory = PlcServer.create({ db: Database.mock(), port: 0 });
  const server = await directory.start();
  return `http://127.0.0.1:${server.address().port}`;
}

async function startPds() {
  const { PDS, envToCfg, envToSecrets } = requireInstalled('@atproto/pds');
  const { Secp256k1Keypair } = requireInstalled('@atproto/crypto');
  const recovery = await Secp256k1Keypair.import(signingKey);
  const settings = {
    devMode: true,
    port: Number(port),
    hostname: 'localhost',
    serviceHandleDomains: ['.test'],
    dataDirectory: join(dataFolder, 'data'),
    blobstoreDiskLocation: join(dataFolder, 'blobs'),
    blobstoreDiskTmpLocation: join(dataFolder, 'incoming'),
    adminPassword,
    jwtSecret,
    recoveryDidKey: recovery.did(),
    plcRotationKeyK256PrivateKeyHex: rotationKey,
    didPlcUrl: directoryUrl,
    inviteRequired: false,
    rateLimitsEnabled: hasRateLimits,
    disableSsrfProtection: true,
    // It must not tell anybody that it exists.
    crawlers: [],
    bskyAppViewUrl: 'https://appview.invalid',
    bskyAppViewDid: 'did:web:appview.invalid',
    modServiceUrl: 'https://moderation.invalid',
    modServiceDid: 'did:web:moderation.invalid',
  };
  const config = envToCfg(settings);
  if (publicUrl !== null) config.service.publicUrl = publicUrl;
  const pds = await PDS.create(config, envToSecrets(settings));
  await pds.start();
}
