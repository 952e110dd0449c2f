/** The demo's `config.yaml`: what a newcomer would write, only faster. */
export function demoConfig({ url, folder }: { url: string; folder: string }): string {
  return `
workspaces:
  - { name: demo, timezone: Europe/Berlin, dailyCap: 50, tickEvery: 2s }
accounts:
  - { name: partner-login, platform: webhook, active: false }
channels:
  - { name: outbox, platform: files, folder: ${JSON.stringify(folder)} }
  - { name: hook, platform: webhook, url: "${url}/hook", secret: demo-secret, interval: 7s }
  - { name: busy, platform: webhook, url: "${url}/busy" }
  - { name: partner, platform: webhook, url: "${url}/partner", account: partner-login }
feeds:
  - { name: wire, url: "${url}/feeds/northshore-wire.atom", firstImport: all }
  - { name: gazette, url: "${url}/feeds/harbour-gazette.xml", firstImport: all }
  - { name: notebook, url: "${url}/feeds/makers-notebook.json", firstImport: all }
routes:
  - { feed: wire, channel: busy, approval: auto, priority: 9 }
  - { feed: wire, channel: partner, approval: auto, priority: 8 }
  - { feed: wire, channel: outbox, approval: auto, priority: 5 }
  - { feed: wire, channel: hook, approval: auto, priority: 5 }
  - { feed: gazette, channel: outbox, approval: auto }
  - { feed: gazette, channel: hook, approval: auto, exclude: ["gulls"] }
  - { feed: notebook, channel: outbox, approval: manual, template: "From the workshop: {{ title }}" }
`;
}
