import { getSelf } from '#contract/users.ts'
import chat from '../../server/lab/openai/fixtures/chat.json'
import { type ChatAnswer, callChat } from '../harness/call-chat.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'
import type { Gateway, GatewayOptions } from '../harness/start-gateway.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { startUpstream, type Upstream } from '../harness/start-upstream.ts'
import { verifyBooks } from '../harness/verify-books.ts'

/** Served by the lab, as a script says. */
export const LAB = 'by-the-lab'
/** Served by an upstream that answers when it is let. */
export const HELD = 'held-back'

const UNITS_PER_DOLLAR = 500_000
/** Of one call of either model, in units. */
export const PRICE = 1_000

/** A gateway whose vendors do what a test of a fault needs. */
export interface Stage {
  readonly site: Site
  readonly upstream: Upstream
  readonly key: string
  ask(model: string, asked?: Asked): Promise<ChatAnswer>
  /** Units that the owner of the key has been charged. */
  charged(): Promise<number>
  /** What is wrong with the books: nothing, when they balance and nothing is held. */
  expectSoundBooks(): Promise<void>
  stop(): Promise<void>
}

interface Asked {
  /** A script of the lab. */
  readonly script?: string
  readonly isStream?: boolean
  readonly gateway?: Gateway
  readonly key?: string
}

export async function openStage(options: GatewayOptions = {}): Promise<Stage> {
  const upstream = startUpstream()
  upstream.answerWith(JSON.stringify(chat), 'application/json')
  const site = await startSite(options)
  const price = PRICE / UNITS_PER_DOLLAR
  await setOptions(site.root, { ModelPrice: { [LAB]: price, [HELD]: price } })
  await addLabChannel(site.root, site.lab, { vendor: 'openai', models: [LAB], name: LAB, lane: LAB })
  await addLabChannel(site.root, site.lab, {
    vendor: 'openai',
    models: [HELD],
    name: HELD,
    draft: { base_url: upstream.url },
  })
  const { key } = await addToken(site.root)
  return {
    site,
    upstream,
    key,
    ask(model, { script = 'tokens-3', isStream = false, gateway = site.gateway, key: askedKey = key } = {}) {
      const messages = [{ role: 'user', content: `hello [lab: ${script}]` }]
      return callChat({ url: gateway.url, key: askedKey, body: { model, stream: isStream, messages } })
    },
    charged: async () => (await site.root.call(getSelf)).used_quota,
    async expectSoundBooks() {
      const books = await verifyBooks({ ...options.environment, DATA_DIR: site.gateway.dataDir })
      if (books.code !== 0 || books.drift !== 0 || books.openHolds !== 0)
        throw new Error(`expected sound books without holds, found: ${books.output}`)
    },
    async stop() {
      await Promise.all([site.stop(), upstream.stop()])
    },
  }
}
