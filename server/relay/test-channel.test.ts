import { afterEach, expect, test } from 'bun:test'
import { TestRelay } from '../testing/test-relay.ts'
import { testChannel } from './test-channel.ts'

let opened: TestRelay | undefined
afterEach(async () => {
  await opened?.close()
  opened = undefined
})

async function testOf(columns: Readonly<Record<string, string | number>>) {
  opened = await TestRelay.open()
  return testChannel(opened.gateway, await opened.addChannel(columns), '')
}

test('a channel that answers at once still took a time, since 0 means never tested', async () => {
  const result = await testOf({})
  expect(result).toMatchObject({ ok: true, message: '' })
  expect(result.timeMs).toBeGreaterThanOrEqual(1)
})

test('a channel that fails says how, and whether its key is dead', async () => {
  const result = await testOf({ base_url: 'http://lab.test/lab/fault/dead-key' })
  expect(result).toMatchObject({ ok: false, isKeyDead: true })
  expect(result.message).toContain('401')
})
