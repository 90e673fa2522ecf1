import { afterAll, beforeAll, expect, test } from 'bun:test'
import { CHANNEL_STATUS } from '#contract/enums.ts'
import { getChannel } from '#features/channels/contract/channel-endpoints.ts'
import { elapsedMs } from '#server/core/clock.ts'
import { callChat } from '../harness/call-chat.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { waitUntil } from '../harness/wait-until.ts'

const MODEL = 'mispriced'
const CLIENTS = 8
const STOPPED_WITHIN_MS = 60_000

let site: Site

beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site?.stop())

test('a price below cost stops its channel within a minute of traffic, and another channel serves on', async () => {
  const { root, lab, gateway } = site
  await setOptions(root, {
    ModelRatio: { [MODEL]: 0.2 },
    CompletionRatio: { [MODEL]: 1 },
    MarginStopEnabled: true,
    RetryTimes: 1,
  })
  const add = (name: string, priority: number, input: number) =>
    addLabChannel(root, lab, {
      provider: 'openai',
      models: [MODEL],
      name,
      priority,
      draft: { setting: JSON.stringify({ purchase_prices: { [MODEL]: { input, output: input } } }) },
    })
  const loss = await add('bought for four dollars, sold for forty cents', 9, 4)
  await add('bought for ten cents', 0, 0.1)
  const { key } = await addToken(root)
  const body = { model: MODEL, messages: [{ role: 'user', content: 'hello' }] }
  const isStopped = async () =>
    (await root.call(getChannel, { params: { id: loss.id } })).status === CHANNEL_STATUS.autoDisabled

  const startedMs = elapsedMs()
  let isLoaded = true
  const statuses = new Set<number>()
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (isLoaded) statuses.add((await callChat({ url: gateway.url, key, body })).status)
  })
  await waitUntil({ description: 'the channel to be stopped', timeoutMs: STOPPED_WITHIN_MS }, isStopped)
  const stoppedMs = elapsedMs() - startedMs
  isLoaded = false
  await Promise.all(clients)
  expect((await callChat({ url: gateway.url, key, body })).status).toBe(200)
  expect([...statuses]).toEqual([200])
  expect(stoppedMs).toBeLessThan(STOPPED_WITHIN_MS)
  const { other_info: info } = await root.call(getChannel, { params: { id: loss.id } })
  expect(JSON.parse(info)).toMatchObject({
    status_reason: expect.stringContaining(MODEL),
    needs_review: true,
  })
})
