import chat from '#server/lab/openai/fixtures/chat.json'
import type { AdminClient } from './api-client.ts'
import { type ChatResult, callChat } from './call-chat.ts'
import { addLabChannel } from './lab-channel.ts'
import { openPostgres } from './open-postgres.ts'
import { setOptions } from './set-options.ts'
import { type RunningGateway, startGateway } from './start-gateway.ts'
import { startSite } from './start-site.ts'
import { startUpstream } from './start-upstream.ts'

const UNLIMITED = 1_000_000
/** Nothing was charged, and clients repeat it. */
const OVERLOADED = 503

/** Two gateways on one PostgreSQL, whose models respond at once. */
export interface Pair {
  readonly root: AdminClient
  readonly gateways: readonly [RunningGateway, RunningGateway]
  /** Of both processes. */
  readonly environment: Readonly<Record<string, string>>
  /** Sends the same chat so many times at once, to the gateways in turn, and repeats what a slow machine refuses. */
  callAtOnce(count: number, key: string, body: object): Promise<readonly ChatResult[]>
  stop(): Promise<void>
}

export async function startPair(models: readonly string[], options: object): Promise<Pair> {
  const upstream = startUpstream()
  upstream.respondWith(JSON.stringify(chat), 'application/json')
  const postgres = await openPostgres()
  const environment = { DATABASE_URL: postgres.url, WORKERS: '1', SECRET_KEY: 'the secret key of two' }
  const site = await startSite({ environment })
  await setOptions(site.root, {
    FailedRequestRateLimit: UNLIMITED,
    CallBudgetPerMinute: UNLIMITED,
    ...options,
  })
  await addLabChannel(site.root, site.lab, { provider: 'openai', models, draft: { base_url: upstream.url } })
  const second = await startGateway({ environment })
  const messages = [{ role: 'user', content: 'hello' }]
  const call = async (index: number, key: string, body: object): Promise<ChatResult> => {
    const { url } = index % 2 === 0 ? site.gateway : second
    const result = await callChat({ url, key, body: { messages, ...body } })
    return result.status === OVERLOADED ? call(index, key, body) : result
  }
  return {
    root: site.root,
    gateways: [site.gateway, second],
    environment,
    callAtOnce: (count, key, body) =>
      Promise.all(Array.from({ length: count }, (_, index) => call(index, key, body))),
    async stop() {
      await Promise.all([site.stop(), second.stop(), upstream.stop()])
      await postgres.stop()
    },
  }
}
