import { expect, test } from 'bun:test'
import { MIB } from '../../core/limits.ts'
import { LargeBody } from './large-body.ts'

const LIMITS = { keysMax: 100_000, elementsMax: 400_000, textCharsMax: 64 * MIB }
const PIECE = 'x'.repeat(MIB / 4)

function send(sender: string, pieces: number): Promise<unknown> {
  const body = new LargeBody(LIMITS, sender)
  body.push('{"text":"')
  for (let sent = 0; sent < pieces; sent += 1) body.push(PIECE)
  body.push('"}')
  return body.finish()
}

test('lets the bodies of users take turns on the thread', async () => {
  const done: string[] = []
  const many = Array.from({ length: 4 }, () => send('user 1', 24).then(() => done.push('user 1')))
  const one = send('user 2', 6).then(() => done.push('user 2'))
  await Promise.all([...many, one])
  expect(done.indexOf('user 2')).toBeLessThan(2)
  expect(done).toHaveLength(5)
})

test('forgets what a dropped body had to say', async () => {
  const dropped = new LargeBody(LIMITS, 'user 1')
  for (let sent = 0; sent < 40; sent += 1) dropped.push(PIECE)
  dropped.drop()
  expect(await send('user 1', 1)).toBeDefined()
})

test('reads nothing more of a dropped body', async () => {
  const dropped = new LargeBody(LIMITS, 'user 1')
  for (let sent = 0; sent < 40; sent += 1) dropped.push(PIECE)
  dropped.drop()
  const done: string[] = []
  const longer = send('user 2', 12).then(() => done.push('user 2'))
  const shorter = send('user 1', 1).then(() => done.push('user 1'))
  await Promise.all([longer, shorter])
  expect(done).toEqual(['user 1', 'user 2'])
})
