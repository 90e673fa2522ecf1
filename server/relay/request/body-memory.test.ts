import { describe, expect, test } from 'bun:test'
import { createChannels } from '#features/channels/contract/channel-endpoints.ts'
import { KIB, MIB } from '../../core/limits.ts'
import { openTestApp } from '../../testing/open-test-app.ts'
import { createBodyMemory } from './body-memory.ts'

const CODE = { code: 'server_busy', status: 503, retryAfterSeconds: 2 }

describe('the memory for request bodies', () => {
  test('admits half of it for one sender and rejects the rest with a time to wait', () => {
    const memory = createBodyMemory(8 * MIB)
    const [first, second] = [memory.open('a'), memory.open('a')]
    first.take(3 * MIB)
    second.take(MIB)
    expect(() => first.take(1)).toThrow(expect.objectContaining(CODE))
  })

  test('keeps a part of it for other senders and for small bodies', () => {
    const memory = createBodyMemory(8 * MIB)
    memory.open('a').take(4 * MIB)
    memory.open('b').take(MIB)
    expect(() => memory.open('c').take(MIB)).toThrow(expect.objectContaining(CODE))
    for (let count = 0; count < 12; count += 1) memory.open('a').take(256 * KIB)
    expect(() => memory.open('b').take(1)).toThrow(expect.objectContaining(CODE))
  })

  test('is returned once, by a rejection or by the end of the request', () => {
    const memory = createBodyMemory(8 * MIB)
    const rejected = memory.open('a')
    rejected.take(3 * MIB)
    expect(() => rejected.take(2 * MIB)).toThrow()
    const finished = memory.open('a')
    finished.take(4 * MIB)
    for (const body of [rejected, finished, finished]) body.release()
    const fresh = memory.open('a')
    expect(() => fresh.take(4 * MIB + 1)).toThrow()
    expect(() => memory.open('a').take(4 * MIB)).not.toThrow()
  })
})

test('responds to management calls with 503 and retry-after when no memory is left, and frees it afterwards', async () => {
  const app = await openTestApp({ parts: { bodyMemoryBytes: 2 * MIB } })
  const models = (bytes: number) => ({
    type: 1,
    name: 'c',
    key: 'k',
    group: 'default',
    models: 'm'.repeat(bytes),
  })
  const create = (bytes: number) =>
    app.root.fetch(createChannels.path, { method: 'POST', body: JSON.stringify(models(bytes)) })
  const rejected = await create(1.5 * MIB)
  expect(rejected.status).toBe(503)
  expect(rejected.headers.get('retry-after')).toBe('2')
  expect(await rejected.json()).toMatchObject({ success: false, code: 'server_busy' })
  for (let count = 0; count < 5; count += 1) expect((await create(0.9 * MIB)).status).toBe(200)
  await app.close()
})
