import { afterAll, beforeAll, expect, test } from 'bun:test'
import { listLogs } from '#features/logs/contract/logs.ts'
import { approvePriceUpdates, readPriceFeed, undoPriceChanges } from '#features/price-updates/contract.ts'
import { callChat } from '../harness/call-chat.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'

const MODEL = 'gpt-4o'
const FEED = JSON.stringify({
  [MODEL]: {
    litellm_provider: 'openai',
    mode: 'chat',
    input_cost_per_token: 7.5e-6,
    output_cost_per_token: 30e-6,
  },
})

let site: Site
beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site?.stop())

test('the undo of a price update restores the price of later requests and leaves past receipts as they are', async () => {
  const { root, lab, gateway } = site
  await addLabChannel(root, lab, { provider: 'openai', models: [MODEL] })
  const { key } = await addToken(root)
  const body = { model: MODEL, messages: [{ role: 'user', content: 'hello' }] }
  const ask = async () => expect((await callChat({ url: gateway.url, key, body })).status).toBe(200)
  /** Oldest first, with their receipts. */
  const charged = async () =>
    (await root.call(listLogs, { query: { type: 2, page_size: 100 } })).items
      .map(({ id, quota, other }) => ({ id, quota, receipt: JSON.parse(other) }))
      .toSorted((a, b) => a.id - b.id)

  await ask()
  const { revision } = await root.call(readPriceFeed, { body: { text: FEED } })
  const { batch } = await root.call(approvePriceUpdates, { body: { revision, models: [MODEL] } })
  await ask()
  const before = await charged()
  const [first, dearer] = before
  expect(dearer?.quota).toBeGreaterThan(2 * (first?.quota ?? 0))

  await root.call(undoPriceChanges, { body: { batch } })
  await ask()
  const after = await charged()
  expect(after.slice(0, 2)).toEqual(before)
  const last = after[2]
  expect(last?.quota).toBe(first?.quota)
  expect(last?.receipt.lines).toEqual(first?.receipt.lines)
  expect((await verifyLedger({ DATA_DIR: gateway.dataDir })).drift).toBe(0)
})
