import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { getSelf } from '#contract/entities/user.ts'
import { getLogStat } from '#features/logs/contract/logs.ts'
import { callChat, isCompleteStream } from '../harness/call-chat.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'
import { waitUntil } from '../harness/wait-until.ts'

const MODEL = 'loaded'
const STREAMS = 512
const REQUESTS = 6_000
const CLIENTS = 64
const MEMORY_MIB_MAX = 160
/** Idle time in which the runtime collects garbage. */
const REST_MS_MAX = 15_000
const PRICE = { ModelRatio: { [MODEL]: 1 }, CompletionRatio: { [MODEL]: 1 } }

let site: Site
let key: string

beforeAll(async () => {
  site = await startSite()
  await setOptions(site.root, PRICE)
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: [MODEL] })
  key = (await addToken(site.root)).key
})

afterAll(() => site?.stop())

const ask = (content: string, isStream: boolean) =>
  callChat({
    url: site.gateway.url,
    key,
    body: { model: MODEL, stream: isStream, messages: [{ role: 'user', content }] },
  })

test(`${REQUESTS} calls of ${CLIENTS} clients leave one log row and one charge each, within ${MEMORY_MIB_MAX} MiB`, async () => {
  const [before, rowsBefore] = await Promise.all([site.root.call(getSelf), stat()])
  let left = REQUESTS
  const statuses = new Set<number>()
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      statuses.add((await ask('hello', left % 4 === 0)).status)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  const [after, rows] = await Promise.all([site.root.call(getSelf), stat()])
  expect(statuses).toEqual(new Set([200]))
  expect(rows.count - rowsBefore.count).toBe(REQUESTS)
  expect(after.request_count - before.request_count).toBe(REQUESTS)
  expect(before.quota - after.quota).toBe(rows.quota - rowsBefore.quota)
  await waitUntil(
    { description: `less than ${MEMORY_MIB_MAX} MiB after a rest`, timeoutMs: REST_MS_MAX },
    () => residentMib(site.gateway.pid) < MEMORY_MIB_MAX,
  )
})

test(`${STREAMS} concurrent slow streams all complete`, async () => {
  const content = 'hello [lab: pace-20+tokens-50]'
  const responses = await Promise.all(Array.from({ length: STREAMS }, () => ask(content, true)))
  expect(responses.filter(isCompleteStream)).toHaveLength(STREAMS)
})

test('leaves a balanced ledger without open holds', async () => {
  const audit = await verifyLedger({ DATA_DIR: site.gateway.dataDir })
  expect(audit).toMatchObject({ code: 0, drift: 0, openHolds: 0 })
})

const stat = () => site.root.call(getLogStat, { query: { type: 2 } })

/** Measured on Linux only. */
function residentMib(pid: number): number {
  if (process.platform !== 'linux') return 0
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) / 1024
}
