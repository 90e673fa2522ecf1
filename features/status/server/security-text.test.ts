import { afterEach, beforeEach, expect, test } from 'bun:test'
import { putOptions } from '#contract/options/options.ts'
import { setClock } from '#server/core/clock.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'

const PATH = '/.well-known/security.txt'
const NOW_MS = Date.parse('2026-11-29T15:00:00Z')

let app: TestApp
let restore: () => void
beforeEach(async () => {
  restore = setClock({ nowMs: () => NOW_MS, elapsedMs: () => NOW_MS })
  app = await openTestApp()
})
afterEach(async () => {
  restore()
  await app.close()
})

const setContact = (value: string) => app.root.call(putOptions, { body: [{ key: 'SecurityContact', value }] })

test('is not there until a contact is set', async () => {
  expect((await app.visitor.fetch(PATH)).status).toBe(404)
})

test.each([
  [' security@example.com ', 'mailto:security@example.com'],
  ['https://example.com/report?to=us', 'https://example.com/report?to=us'],
])('names %j as contact, and until when that holds', async (value, contact) => {
  await app.root.call(putOptions, { body: [{ key: 'ServerAddress', value: 'https://ai.example.com/' }] })
  expect((await setContact(value)).success).toBe(true)
  const response = await app.visitor.fetch(PATH)
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await response.text()).toBe(
    `Contact: ${contact}\nExpires: 2027-02-27T00:00:00.000Z\nPreferred-Languages: en, zh\nCanonical: https://ai.example.com${PATH}\n`,
  )
})

test.each([
  'us',
  'http://example.com',
  'a@b@c',
  'a@b.example\nPolicy: https://evil.example',
  'javascript:x@y',
])('rejects %j', async value => {
  const { success, message } = await setContact(value)
  expect({ success, message }).toEqual({
    success: false,
    message: expect.stringContaining('an email or https'),
  })
})
