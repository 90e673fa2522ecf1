import { afterAll, beforeAll, expect, test } from 'bun:test'
import { MIB } from '#server/core/limits.ts'
import { type ChatResult, callChat, errorOf, isCompleteStream } from '../harness/call-chat.ts'
import { inDatabase } from '../harness/in-database.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'
import { type RunningGateway, respondsOk, startGateway } from '../harness/start-gateway.ts'
import { type Lab, startLab } from '../harness/start-lab.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'

const MODEL = 'stored'
const CLIENTS = 12
/** Room for some hundred requests. Then no file can grow, as on a full disk. */
const DISK_BYTES = 2 * MIB
const REJECTIONS = 100
/** Time from the full disk to a failing readiness check. */
const RED_WITHIN_MS = 30_000
const TEST_TIMEOUT_MS = 300_000

const folder = makeTemporaryFolder()
const responses: ChatResult[] = []
let lab: Lab
let key: string

beforeAll(async () => {
  lab = await startLab()
  await using gateway = await startGateway({ dataDir: folder.path })
  const root = await gateway.signInAsRoot()
  await setOptions(root, { ModelRatio: { [MODEL]: 3 } })
  await addLabChannel(root, lab, { provider: 'openai', models: [MODEL] })
  key = (await addToken(root)).key
})

afterAll(async () => {
  await lab?.stop()
  folder.remove()
})

const isRejected = ({ text }: ChatResult): boolean => text.includes('storage_failed')
const isStream = ({ text }: ChatResult): boolean => text.startsWith('data: ')

test(
  'with a full disk, rejects requests with an explanation and keeps running',
  async () => {
    await using gateway = await startGateway({ dataDir: folder.path, fileBytesMax: DISK_BYTES })
    await Promise.all(Array.from({ length: CLIENTS }, (_, index) => callUntilFull(gateway, index % 2 === 0)))
    const fullAtMs = performance.now()
    await Promise.all(Array.from({ length: CLIENTS }, (_, index) => callUntilRed(gateway, index % 2 === 0)))
    expect(performance.now() - fullAtMs).toBeLessThan(RED_WITHIN_MS)
    const rejected = responses.filter(response => isRejected(response) && !isStream(response))
    const errors = new Set(rejected.map(response => `${response.status} ${errorOf(response).code}`))
    expect(errors).toEqual(new Set(['503 storage_failed']))
    for (const response of rejected)
      expect(errorOf(response).message).toMatch(/storage.*nothing was charged.*request id/)
    expect(await respondsOk(`${gateway.url}/healthz`)).toBe(true)
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(503)
    expect(gateway.output()).toMatch(/disk I\/O error|database or disk is full/)
    const lines = gateway
      .output()
      .split('\n')
      .filter(line => line.includes('the ledger could not be written'))
    expect(lines).toHaveLength(1)
    expect(await gateway.stop()).toBe(0)
  },
  TEST_TIMEOUT_MS,
)

test('charges every served response once and no response that the full disk cut off', async () => {
  const served = responses.filter(response => !isRejected(response))
  expect(served.length).toBeGreaterThan(CLIENTS)
  expect(served.filter(response => isStream(response) && !isCompleteStream(response))).toEqual([])
  const rows = await inDatabase({ dataDir: folder.path }, db =>
    db.selectFrom('logs').select('request_id').where('type', '=', 2).where('quota', '>', 0).execute(),
  )
  expect(rows.map(row => row.request_id).sort()).toEqual(served.map(response => response.requestId).sort())
})

test('releases all holds and serves requests once the disk has room again', async () => {
  await using gateway = await startGateway({ dataDir: folder.path })
  expect(await verifyLedger({ DATA_DIR: folder.path })).toMatchObject({ code: 0, drift: 0, openHolds: 0 })
  expect((await ask(gateway, false)).status).toBe(200)
})

function ask({ url }: RunningGateway, isStream: boolean): Promise<ChatResult> {
  const messages = [{ role: 'user', content: 'hello [lab: pace-2]' }]
  return callChat({ url, key, body: { model: MODEL, stream: isStream, messages } })
}

/** Sends requests until many were rejected for lack of storage. */
async function callUntilFull(gateway: RunningGateway, isStream: boolean): Promise<void> {
  while (responses.filter(isRejected).length < REJECTIONS) responses.push(await ask(gateway, isStream))
}

/** Continues until the gateway reports that it is not ready. A checkpoint of the journal makes room once more. */
async function callUntilRed(gateway: RunningGateway, isStream: boolean): Promise<void> {
  while (await respondsOk(`${gateway.url}/readyz`)) responses.push(await ask(gateway, isStream))
}
