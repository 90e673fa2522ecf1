import { afterAll, beforeAll, expect, test } from 'bun:test'
import { listLogs } from '#contract/logs.ts'
import { sleepMs } from '../../server/kernel/clock.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { runTollgate } from '../harness/run-tollgate.ts'
import { type Gateway, startGateway } from '../harness/start-gateway.ts'
import { type Lab, startLab } from '../harness/start-lab.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'

const KILLS = 25
const CLIENTS = 16
const MOMENT_MS = { least: 60, most: 600 }
const TEST_TIMEOUT_MS = 240_000
const MODEL = 'gpt-4o-mini'

const folder = makeTemporaryFolder()
/** Request ids of the answers that clients received to their end. */
const finished = new Set<string>()
let lab: Lab
let key: string

beforeAll(async () => {
  lab = await startLab()
  await using gateway = await startGateway({ dataDir: folder.path })
  const admin = await gateway.signInAsRoot()
  await addLabChannel(admin, lab, { vendor: 'openai', models: [MODEL] })
  key = (await addToken(admin, { unlimited_quota: false, remain_quota: 50_000_000 })).key
})

afterAll(async () => {
  await lab?.stop()
  folder.remove()
})

test(
  `after ${KILLS} kills at random moments under load the books balance`,
  async () => {
    for (let kill = 0; kill < KILLS; kill += 1) await killUnderLoad()
    expect(finished.size).toBeGreaterThan(KILLS)
    const gateway = await startGateway({ dataDir: folder.path })
    const stopCode = await gateway.stop()
    expect(stopCode).toBe(0)
    const { code, output } = await runTollgate(['verify'], { DATA_DIR: folder.path })
    expect(output).toMatch(/drift\D*0\b/)
    expect(code).toBe(0)
  },
  TEST_TIMEOUT_MS,
)

test(
  'each finished answer has exactly one log row, and nothing stays held',
  async () => {
    await using gateway = await startGateway({ dataDir: folder.path })
    const admin = await gateway.signInAsRoot()
    const counts = new Map<string, number>()
    for (const id of finished) {
      const { items } = await admin.call(listLogs, { query: { type: 2, request_id: id } })
      counts.set(id, items.length)
    }
    expect([...counts].filter(([, count]) => count !== 1)).toEqual([])
  },
  TEST_TIMEOUT_MS,
)

async function killUnderLoad(): Promise<void> {
  const gateway = await startGateway({ dataDir: folder.path })
  const stopping = new AbortController()
  const clients = Array.from({ length: CLIENTS }, (_, index) => callUntil(stopping.signal, gateway, index))
  const { least, most } = MOMENT_MS
  await sleepMs(least + Math.random() * (most - least))
  stopping.abort()
  await gateway.kill()
  await Promise.all(clients)
}

/** Calls again and again; a call that the kill cuts off is not finished. */
async function callUntil(stopping: AbortSignal, gateway: Gateway, index: number): Promise<void> {
  while (!stopping.aborted) {
    const id = await callOnce(gateway, index % 2 === 0).catch(() => undefined)
    if (id) finished.add(id)
  }
}

/** Gives the request id when the answer arrived to its end. */
async function callOnce(gateway: Gateway, isStream: boolean): Promise<string | undefined> {
  const content = isStream ? 'hello [lab: pace-5]' : 'hello'
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, stream: isStream, messages: [{ role: 'user', content }] }),
  })
  const text = await answer.text()
  const isFinished = isStream
    ? text.trimEnd().endsWith('data: [DONE]')
    : JSON.parse(text).choices?.length === 1
  return answer.ok && isFinished ? (answer.headers.get('x-oneapi-request-id') ?? undefined) : undefined
}
