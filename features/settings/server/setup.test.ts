import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createToken } from '#contract/entities/token.ts'
import { getSetup, putOptions } from '#contract/options/options.ts'
import { createChannels } from '#features/channels/contract/channel-endpoints.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'

let app: TestApp
beforeEach(async () => {
  app = await openTestApp()
})
afterEach(() => app.close())

const setup = async () => (await app.root.call(getSetup)).data

test('lists the missing parts of an installation, down to models without a price', async () => {
  expect(await setup()).toEqual({
    has_channel: false,
    has_tested_channel: false,
    model_count: 0,
    unpriced_models: [],
    has_token: false,
    has_server_address: false,
    has_retries: false,
    has_email: false,
    has_shared_limits: true,
  })
  const body = { name: 'one', type: 1, key: 'k', models: 'gpt-4o,mine', group: 'default' }
  await app.root.call(createChannels, { body })
  await app.root.call(createToken, { body: { name: 'first' } })
  await app.root.call(putOptions, { body: { key: 'ServerAddress', value: 'https://gate.example' } })
  await app.root.call(putOptions, { body: { key: 'RetryTimes', value: '2' } })
  await app.root.call(putOptions, { body: { key: 'SMTPServer', value: 'mail.example' } })
  expect(await setup()).toEqual({
    has_channel: true,
    has_tested_channel: false,
    model_count: 2,
    unpriced_models: ['mine'],
    has_token: true,
    has_server_address: true,
    has_retries: true,
    has_email: true,
    has_shared_limits: true,
  })
})

test('is for super administrators only', async () => {
  const admin = await app.addUser({ username: 'admin', role: 'admin' })
  expect((await admin.call(getSetup)).success).toBe(false)
})
