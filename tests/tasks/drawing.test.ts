import { afterAll, beforeAll, expect, test } from 'bun:test'
import { listDrawings, listSelfDrawings } from '#features/drawing/contract.ts'
import { listSelfLogs } from '#features/logs/contract/logs.ts'
import { listSelfTasks } from '#features/music/contract.ts'
import { addUser } from '../harness/add-user.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { readNamespace } from '../harness/lab-namespace.ts'
import { setOptions } from '../harness/set-options.ts'
import { type RunningGateway, startGateway } from '../harness/start-gateway.ts'
import { type Lab, startLab } from '../harness/start-lab.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'
import { waitUntil } from '../harness/wait-until.ts'

const END_TIMEOUT_MS = 90_000
const WALLET = 1_000_000
const LANE = 'drawing'

let gateway: RunningGateway
let lab: Lab
let root: AdminClient
let anna: AdminClient
let key: string

beforeAll(async () => {
  lab = await startLab()
  gateway = await startGateway({ environment: { EGRESS_ALLOWED: '127.0.0.1' } })
  root = await gateway.signInAsRoot()
  await setOptions(root, { ServerAddress: gateway.url, MjNotifyEnabled: true })
  await addLabChannel(root, lab, {
    provider: 'drawing',
    models: ['mj_imagine', 'mj_upscale'],
    namespace: LANE,
  })
  await addLabChannel(root, lab, { provider: 'music', models: ['suno_music', 'suno_lyrics'] })
  anna = await addUser(gateway, { username: 'anna', wallet: WALLET })
  key = (await addToken(anna)).key
})
afterAll(async () => {
  await gateway?.stop()
  await lab?.stop()
})

/** Calls as a drawing client does, with the key in its own header. */
const call = async (path: string, body?: unknown): Promise<Record<string, unknown>> => {
  const headers = { 'mj-api-secret': `sk-${key}` }
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
  return JSON.parse(await (await fetch(gateway.url + path, init)).text())
}
const ended = (id: unknown) =>
  waitUntil({ description: `the end of ${id}`, timeoutMs: END_TIMEOUT_MS }, async () => {
    const task = await call(`/mj/task/${id}/fetch`)
    return ['SUCCESS', 'FAILURE'].includes(String(task.status)) && task
  })

test('polls and charges a drawing, lists it to its owner and to administrators, and serves its image', async () => {
  const { code, result: id } = await call('/mj-fast/mj/submit/imagine', { prompt: 'a lighthouse' })
  expect(code).toBe(1)
  expect(await ended(id)).toMatchObject({ status: 'SUCCESS', imageUrl: `${gateway.url}/mj/image/${id}` })
  const imageResponse = await fetch(`${gateway.url}/mj/image/${id}`)
  expect([imageResponse.status, imageResponse.headers.get('content-type')]).toEqual([200, 'image/png'])

  const [own] = await anna.call(listSelfDrawings)
  expect(own).toMatchObject({ mj_id: id, action: 'IMAGINE', status: 'SUCCESS', quota: 50_000, channel_id: 0 })
  expect(await root.call(listDrawings, { query: { mj_id: String(id) } })).toMatchObject([
    { user_id: anna.userId, channel_id: 1, image_url: `${gateway.url}/mj/image/${id}` },
  ])
  expect(await root.call(listSelfDrawings)).toEqual([])
  const logs = await anna.call(listSelfLogs, { query: { type: 2 } })
  expect(logs.items).toMatchObject([{ model_name: 'mj_imagine', quota: 50_000, content: `IMAGINE ${id}` }])

  const { result: larger } = await call('/mj/submit/change', { taskId: id, action: 'UPSCALE', index: 1 })
  expect(await ended(larger)).toMatchObject({ action: 'UPSCALE', prompt: 'a lighthouse', status: 'SUCCESS' })
})

test('a callback of the provider completes its task at once, a forged one does not', async () => {
  const { result: id } = await call('/mj/submit/imagine', { prompt: 'slow [lab: task-ms-600000]' })
  const { last } = await readNamespace(lab, LANE)
  const address: string = JSON.parse(last?.body ?? '{}').notifyHook
  expect(address).toStartWith(`${gateway.url}/mj/notify/`)
  const notify = (where: string) =>
    fetch(where, {
      method: 'POST',
      body: JSON.stringify({ id, status: 'FAILURE', progress: '100%', failReason: 'too slow' }),
    })
  expect((await notify(`${gateway.url}/mj/notify`)).status).toBe(400)
  expect((await notify(`${address}0`)).status).toBe(400)
  expect(await call(`/mj/task/${id}/fetch`)).not.toMatchObject({ status: 'FAILURE' })
  const responses = await Promise.all([notify(address), notify(address)])
  expect(responses.map(response => response.status)).toEqual([200, 200])
  expect(await ended(id)).toMatchObject({ status: 'FAILURE', failReason: 'too slow' })
})

test('polls a song and lyrics and lists them', async () => {
  const songs = await call('/suno/submit/music', { gpt_description_prompt: 'the sea' })
  const lyrics = await call('/suno/submit/lyrics', { prompt: 'a keeper' })
  const tasks = await waitUntil({ description: 'the end of both', timeoutMs: END_TIMEOUT_MS }, async () => {
    const listed = await anna.call(listSelfTasks)
    return listed.every(task => task.status === 'SUCCESS') && listed
  })
  expect(tasks).toMatchObject([
    { task_id: lyrics.data, action: 'LYRICS', platform: 'suno', data: { text: '[Verse 1]\na keeper' } },
    { task_id: songs.data, action: 'MUSIC', properties: { input: 'the sea' }, progress: '100%' },
  ])
})

test('rejects tasks when the feature is disabled and keeps the ledger balanced', async () => {
  await setOptions(root, { DrawingEnabled: false, TaskEnabled: false })
  expect(await call('/mj/submit/imagine', { prompt: 'a' })).toMatchObject({ code: 4 })
  expect(await call('/suno/submit/music', { prompt: 'a' })).toMatchObject({ code: 'closed', data: null })
  expect(await verifyLedger({ DATA_DIR: gateway.dataDir })).toMatchObject({ code: 0, drift: 0, openHolds: 0 })
})
