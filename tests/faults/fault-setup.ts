import { getSelf } from '#contract/entities/user.ts'
import chat from '#server/lab/openai/fixtures/chat.json'
import { type ChatResult, callChat } from '../harness/call-chat.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'
import type { GatewayOptions, RunningGateway } from '../harness/start-gateway.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { startUpstream, type Upstream } from '../harness/start-upstream.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'

/** Model that the lab serves, with a fault scenario per request. */
export const LAB = 'by-the-lab'
/** Model of an upstream whose responses can be held. */
export const HELD = 'held-back'

const UNITS_PER_DOLLAR = 500_000
/** Price of one call of either model in units. */
export const PRICE = 1_000

/** A gateway with upstreams whose faults a test controls. */
export interface FaultSetup {
  readonly site: Site
  readonly upstream: Upstream
  readonly key: string
  ask(model: string, requested?: RequestOptions): Promise<ChatResult>
  /** Total charge of the key's owner in units. */
  charged(): Promise<number>
  /** Throws unless the ledger balances and no hold is open. */
  expectBalancedLedger(): Promise<void>
  stop(): Promise<void>
}

interface RequestOptions {
  /** Fault scenario of the lab. */
  readonly script?: string
  readonly isStream?: boolean
  readonly gateway?: RunningGateway
  readonly key?: string
}

export async function createFaultSetup(options: GatewayOptions = {}): Promise<FaultSetup> {
  const upstream = startUpstream()
  upstream.respondWith(JSON.stringify(chat), 'application/json')
  const site = await startSite(options)
  const price = PRICE / UNITS_PER_DOLLAR
  await setOptions(site.root, { ModelPrice: { [LAB]: price, [HELD]: price } })
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: [LAB], name: LAB, namespace: LAB })
  await addLabChannel(site.root, site.lab, {
    provider: 'openai',
    models: [HELD],
    name: HELD,
    draft: { base_url: upstream.url },
  })
  const { key } = await addToken(site.root)
  return {
    site,
    upstream,
    key,
    ask(model, { script = 'tokens-3', isStream = false, gateway = site.gateway, key: tokenKey = key } = {}) {
      const messages = [{ role: 'user', content: `hello [lab: ${script}]` }]
      return callChat({ url: gateway.url, key: tokenKey, body: { model, stream: isStream, messages } })
    },
    charged: async () => (await site.root.call(getSelf)).used_quota,
    async expectBalancedLedger() {
      const audit = await verifyLedger({ ...options.environment, DATA_DIR: site.gateway.dataDir })
      if (audit.code !== 0 || audit.drift !== 0 || audit.openHolds !== 0)
        throw new Error(`expected sound books without holds, found: ${audit.output}`)
    },
    async stop() {
      await Promise.all([site.stop(), upstream.stop()])
    },
  }
}
