import { afterAll, beforeAll, expect, test } from 'bun:test'
import { listLogs } from '#contract/logs.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { runTollgate } from '../harness/run-tollgate.ts'
import { type Gateway, startGateway } from '../harness/start-gateway.ts'
import { type Lab, startLab } from '../harness/start-lab.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'

const MODEL = 'gpt-4o-mini'
const REQUESTS = 200
const AFFORDABLE = 10
const STREAMS = 512

const folder = makeTemporaryFolder()
let gateway: Gateway
let lab: Lab
let admin: AdminClient

beforeAll(async () => {
  ;[gateway, lab] = await Promise.all([startGateway({ dataDir: folder.path }), startLab()])
  admin = await gateway.signInAsRoot()
  await addLabChannel(admin, lab, { vendor: 'openai', models: [MODEL] })
})

afterAll(async () => {
  await lab?.stop()
  folder.remove()
})

test(`of ${REQUESTS} simultaneous requests on a token that affords ${AFFORDABLE}, exactly ${AFFORDABLE} are served`, async () => {
  const rich = await addToken(admin)
  await ask(rich.key)
  const price = (await newestQuota()) ?? 0
  expect(price).toBeGreaterThan(0)
  const poor = await addToken(admin, {
    name: 'poor',
    unlimited_quota: false,
    remain_quota: price * AFFORDABLE,
  })
  const statuses = await Promise.all(Array.from({ length: REQUESTS }, () => ask(poor.key)))
  expect(statuses.filter(status => status === 200)).toHaveLength(AFFORDABLE)
  expect(new Set(statuses.filter(status => status !== 200))).toEqual(new Set([403]))
})

test(`${STREAMS} slow streams at once all reach their end`, async () => {
  const { key } = await addToken(admin)
  const ends = await Promise.all(Array.from({ length: STREAMS }, () => readStream(key)))
  expect(ends.filter(text => text.trimEnd().endsWith('data: [DONE]'))).toHaveLength(STREAMS)
})

test('afterwards the books balance', async () => {
  await gateway.stop()
  const { code, output } = await runTollgate(['verify'], { DATA_DIR: folder.path })
  expect(output).toMatch(/drift\D*0\b/)
  expect(code).toBe(0)
})

async function ask(key: string): Promise<number> {
  const answer = await chat(key, {
    model: MODEL,
    max_tokens: 22,
    messages: [{ role: 'user', content: 'hello' }],
  })
  await answer.text()
  return answer.status
}

async function readStream(key: string): Promise<string> {
  const content = 'hello [lab: pace-20+tokens-50]'
  const answer = await chat(key, { model: MODEL, stream: true, messages: [{ role: 'user', content }] })
  return answer.text()
}

const chat = (key: string, body: object): Promise<Response> =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

async function newestQuota(): Promise<number | undefined> {
  const { items } = await admin.call(listLogs, { query: { type: 2 } })
  return items[0]?.quota
}
