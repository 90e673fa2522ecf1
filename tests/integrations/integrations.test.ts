import { afterEach, beforeEach, expect, test } from 'bun:test'
import { updateSetting } from '#features/account/contract.ts'
import { openLocalMailServer } from '#server/testing/local-mail-server.ts'
import { openLocalRedis } from '#server/testing/local-redis.ts'
import { openLocalServer } from '#server/testing/local-server.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { callChat } from '../harness/call-chat.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { openPostgres } from '../harness/open-postgres.ts'
import { setOptions } from '../harness/set-options.ts'
import { type RunningGateway, startGateway } from '../harness/start-gateway.ts'
import { type Lab, startLab } from '../harness/start-lab.ts'

const MODEL = 'lab'
const SUCCESSES = 4
const TEST_TIMEOUT_MS = 180_000

const ending: (() => unknown)[] = []
let lab: Lab
beforeEach(async () => {
  lab = await startLab()
  ending.push(() => lab.stop())
})
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
})

async function start(environment: Readonly<Record<string, string>> = {}): Promise<RunningGateway> {
  const gateway = await startGateway({ environment })
  ending.push(() => gateway.stop())
  return gateway
}

/** Adds a lab channel and returns a key of root. */
async function addKey(root: AdminClient): Promise<string> {
  await setOptions(root, { ModelRatio: { [MODEL]: 1 } })
  await addLabChannel(root, lab, { provider: 'openai', models: [MODEL] })
  return (await addToken(root)).key
}

const ask = async ({ url }: RunningGateway, key: string): Promise<number> =>
  (await callChat({ url, key, body: { model: MODEL, messages: [{ role: 'user', content: 'hello' }] } }))
    .status

test(
  'sends a quota warning by email after a charge',
  async () => {
    const post = await openLocalMailServer('none')
    ending.push(() => post.close())
    const gateway = await start()
    const root = await gateway.signInAsRoot()
    const key = await addKey(root)
    await setOptions(root, {
      SMTPServer: '127.0.0.1',
      SMTPPort: post.port,
      SMTPAccount: 'gate@example.org',
      SMTPToken: 'mail password',
      ServerAddress: gateway.url,
    })
    const body = {
      notify_type: 'email',
      quota_warning_threshold: 1_000_000_000,
      notification_email: 'root@example.org',
    }
    await root.call(updateSetting, { body })
    expect(await ask(gateway, key)).toBe(200)
    await post.next()
    expect(post.mails[0]).toMatchObject({ to: ['root@example.org'] })
    expect(post.mails[0]?.text).toContain(`${gateway.url}/topup`)
    expect(post.mails).toHaveLength(1)
  },
  TEST_TIMEOUT_MS,
)

/** Calls both in turn until both reject. */
async function successes(gateways: readonly RunningGateway[], keys: readonly string[]): Promise<number> {
  let served = 0
  for (let round = 0; round < SUCCESSES + 2; round += 1)
    for (const [index, gateway] of gateways.entries())
      if ((await ask(gateway, keys[index] ?? '')) === 200) served += 1
  return served
}

const limits = { ModelRequestRateLimitEnabled: true, ModelRequestRateLimitSuccessCount: SUCCESSES }

test(
  'processes that share Redis count the requests of a user together',
  async () => {
    const redis = openLocalRedis()
    ending.push(() => redis.close())
    const gateways = [await start({ REDIS_URL: redis.url }), await start({ REDIS_URL: redis.url })]
    const keys: string[] = []
    for (const gateway of gateways) {
      const root = await gateway.signInAsRoot()
      keys.push(await addKey(root))
      await setOptions(root, limits)
    }
    expect(await successes(gateways, keys)).toBe(SUCCESSES)
  },
  TEST_TIMEOUT_MS,
)

test(
  'processes that share PostgreSQL count the requests of a user together',
  async () => {
    const postgres = await openPostgres()
    ending.push(() => postgres.stop())
    const shared = { DATABASE_URL: postgres.url, SECRET_KEY: 'the same for both of them', WORKERS: '1' }
    const gateways = [await start(shared), await start(shared)]
    const [first] = gateways
    if (!first) throw new Error('no gateway was started')
    const root = await first.signInAsRoot()
    const key = await addKey(root)
    await setOptions(root, limits)
    await Bun.sleep(1500)
    expect(await successes(gateways, [key, key])).toBe(SUCCESSES)
  },
  TEST_TIMEOUT_MS,
)

test(
  'exports the trace that a client began and flushes the rest on shutdown',
  async () => {
    const collector = openLocalServer()
    ending.push(() => collector.close())
    collector.handlers['/v1/traces'] = () => Response.json({})
    const gateway = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'gate' })
    const key = await addKey(await gateway.signInAsRoot())
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, traceparent: `00-${'4b'.repeat(16)}-${'0a'.repeat(8)}-01` },
      body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'a planted prompt' }] }),
    })
    expect(response.status).toBe(200)
    expect(await gateway.stop()).toBe(0)
    const bodies = collector.requests.map(({ body }) => body).join('\n')
    expect(bodies).toContain(`"traceId":"${'4b'.repeat(16)}"`)
    expect(bodies).toContain(`"parentSpanId":"${'0a'.repeat(8)}"`)
    expect(bodies).toContain('"name":"charge"')
    expect(bodies).toContain('{"key":"service.name","value":{"stringValue":"gate"}}')
    for (const secret of ['planted', key, key.replace(/^sk-/, '')]) expect(bodies).not.toContain(secret)
  },
  TEST_TIMEOUT_MS,
)
