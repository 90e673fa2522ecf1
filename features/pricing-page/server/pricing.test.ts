import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createChannels } from '#features/channels/contract/channel-endpoints.ts'
import { insertMinutes, NO_SUMS } from '#server/db/usage/totals.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import { listDefaultRatios, listPricing } from '../contract.ts'

let app: TestApp
beforeEach(async () => {
  app = await openTestApp()
  const options = {
    ModelRatio: { a: 1.5, 'gpt-4o-audio-preview': 1.25 },
    ModelPrice: { 'by-call': 0.1 },
    CompletionRatio: { a: 3 },
    GroupRatio: { default: 1, vip: 0.5, inner: 2 },
    UserUsableGroups: { default: 'everybody' },
  }
  const body = JSON.stringify(
    Object.entries(options).map(([key, value]) => ({ key, value: JSON.stringify(value) })),
  )
  await app.root.fetch('/api/option/', { method: 'PUT', body })
  await app.root.call(createChannels, {
    body: {
      type: 1,
      name: 'one',
      key: 'k',
      models: 'a,by-call,unpriced,gpt-4o-audio-preview',
      group: 'default,vip',
    },
  })
})
afterEach(() => app.close())

test('lists the prices of all served models for visitors', async () => {
  const { data, envelope } = await app.visitor.call(listPricing)
  expect(data.map(row => row.model_name)).toEqual(['a', 'by-call', 'gpt-4o-audio-preview'])
  expect(data[0]).toMatchObject({
    quota_type: 0,
    model_ratio: 1.5,
    completion_ratio: 3,
    model_price: 0,
    enable_groups: ['default'],
  })
  expect(data[1]).toMatchObject({ quota_type: 1, model_ratio: 0, completion_ratio: 0, model_price: 0.1 })
  expect(data[2]).toMatchObject({ audio_ratio: 40, audio_completion_ratio: 2 })
  expect(envelope).toMatchObject({ group_ratio: { default: 1 }, usable_group: { default: 'everybody' } })
})

test("lists public groups and the user's own", async () => {
  const anna = await app.addUser({ username: 'anna', group: 'vip' })
  const { envelope } = await anna.call(listPricing)
  expect(envelope.group_ratio).toEqual({ default: 1, vip: 0.5 })
  const { data } = await anna.call(listPricing)
  expect(data[0]?.enable_groups).toEqual(['default', 'vip'])
})

test('names models of other groups, but not the groups', async () => {
  const body = { type: 1, name: 'two', key: 'k', models: 'by-call', group: 'inner' }
  await app.root.call(createChannels, { body })
  const { data } = await app.visitor.call(listPricing)
  expect(data.find(row => row.model_name === 'by-call')?.enable_groups).toEqual(['default'])
  expect(JSON.stringify(data)).not.toContain('inner')
})

test('lists the default ratios, independent of the options', async () => {
  const { data } = await app.root.call(listDefaultRatios)
  expect(data).toEqual([
    { model_name: 'a', completion_ratio: 1, cache_ratio: 1, create_cache_ratio: 1 },
    { model_name: 'gpt-4o-audio-preview', completion_ratio: 4, cache_ratio: 1, create_cache_ratio: 1 },
  ])
})

test('treats a session without the user header as a visitor', async () => {
  const anna = await app.addUser({ username: 'anna', group: 'vip' })
  const { envelope } = await anna.call(listPricing, { headers: { 'new-api-user': '999' } })
  expect(envelope.group_ratio).toEqual({ default: 1 })
})

test('prices models that no option names, with the prices of long prompts and the kind', async () => {
  const models = 'gpt-5.5,sora-2,text-embedding-3-small'
  await app.root.call(createChannels, { body: { type: 1, name: 'two', key: 'k', models, group: 'default' } })
  const { data } = await app.visitor.call(listPricing)
  const find = (name: string) => data.find(row => row.model_name === name)
  expect(find('gpt-5.5')).toMatchObject({
    model_kind: 'chat',
    input_modalities: expect.arrayContaining(['text', 'image']),
    model_ratio: 2.5,
    completion_ratio: 6,
    cache_ratio: 0.1,
    long_prompts: [
      { above: 272_000, model_ratio: 5, completion_ratio: 4.5, cache_ratio: 0.1, create_cache_ratio: 1 },
    ],
  })
  expect(find('text-embedding-3-small')).toMatchObject({ model_kind: 'embeddings', model_ratio: 0.01 })
  expect(find('a')).not.toHaveProperty('model_kind')
  // Videos have a price by the second, which no usage tells yet.
  expect(find('sora-2')).toBeUndefined()
})

describe('the availability of the last day', () => {
  const NOW = Math.floor(Date.now() / 1000)
  const minute = (change: object) => ({
    ...NO_SUMS,
    minute: Math.floor(NOW / 60) * 60 - 600,
    channel_id: 1,
    group: 'default',
    model_name: 'a',
    user_id: 1,
    token_id: 0,
    dialect: 'openai',
    error: '',
    region: '',
    plan: '',
    first_token: '',
    duration: '',
    ...change,
  })
  const availability = async () => (await app.visitor.call(listPricing)).data.map(row => row.availability)

  test('counts statuses of 500 and more, and no mistakes of clients', async () => {
    await insertMinutes(app.db, [
      minute({ requests: 95 }),
      minute({ error: '502 bad_gateway', requests: 3, errors: 3 }),
      minute({ error: '400 invalid_request', requests: 2, errors: 2 }),
    ])
    expect(await availability()).toEqual([0.97, undefined, undefined])
  })

  test('is left out for few requests, and for those of another day', async () => {
    await insertMinutes(app.db, [
      minute({ requests: 19 }),
      minute({ minute: Math.floor(NOW / 60) * 60 - 2 * 86_400, requests: 500 }),
    ])
    expect(await availability()).toEqual([undefined, undefined, undefined])
  })
})
