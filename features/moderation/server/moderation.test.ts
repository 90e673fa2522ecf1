import { expect, test } from 'bun:test'
import { describeCharges } from '#server/testing/charged-relay.ts'
import { testPrices } from '#server/testing/test-prices.ts'

const { open, getSpent, upstreamRequests } = describeCharges({
  prices: testPrices({ ModelRatio: { 'text-moderation-stable': 1 } }),
  models: 'text-moderation-stable',
})

test('charges moderation for its estimated input and fills in the default model', async () => {
  const call = await open(() => Response.json({ id: 'm', model: 'x', results: [{ flagged: false }] }))
  const response = await call('/v1/moderations', { input: 'four' })
  expect(await response.json()).toEqual({ id: 'm', model: 'x', results: [{ flagged: false }] })
  expect(await upstreamRequests[0]?.json()).toEqual({ input: 'four', model: 'text-moderation-stable' })
  expect(await getSpent()).toBe(1)
})

test('charges 765 tokens for an image beside the texts', async () => {
  const call = await open(() => Response.json({ id: 'm', model: 'x', results: [{ flagged: true }] }))
  const image = { type: 'image_url', image_url: { url: 'https://p.example/1.png' } }
  await call('/v1/moderations', { input: [{ type: 'text', text: 'four' }, image] })
  expect(await getSpent()).toBe(1 + 765)
})

test('charges nothing for a reply without results', async () => {
  const call = await open(() => Response.json({ id: 'm', model: 'x', results: [] }))
  await (await call('/v1/moderations', { input: 'four' })).text()
  expect(await getSpent()).toBe(0)
})
