import { expect, test } from 'bun:test'
import { GatewayError } from '../../core/errors.ts'
import { MIB } from '../../core/limits.ts'
import { AbandonedResponses, ClientPresence, type LiveCall } from './client-presence.ts'

const CALL = { caller: { token: { id: 1 } }, connection: { clientIp: () => '' } }
const ENDED = new GatewayError('user_banned', { zh: '已封禁', en: 'banned' })

function open(abandonedResponses = new AbandonedResponses()) {
  const client = new AbortController()
  const openCalls = new Set<LiveCall>()
  const settings = { current: () => ({ DisconnectReadSeconds: 60, DisconnectReadMegabytes: 2 }) }
  const presence = new ClientPresence(client.signal, CALL, { abandonedResponses, openCalls, settings })
  return { presence, openCalls, client }
}

test('reads on for a client that has left, up to the bytes that are allowed', () => {
  const { presence, client, openCalls } = open()
  client.abort()
  expect([presence.hasLeft, presence.upstreamSignal.aborted]).toEqual([true, false])
  presence.countUnread(2 * MIB - 1)
  expect(presence.upstreamSignal.aborted).toBe(false)
  presence.countUnread(1)
  expect([presence.upstreamSignal.aborted, openCalls.size]).toEqual([true, 0])
})

test('reads on 256 responses at once, and ends any other', () => {
  const abandonedResponses = new AbandonedResponses()
  const calls = Array.from({ length: 257 }, () => open(abandonedResponses))
  for (const { client } of calls) client.abort()
  const ended = calls.filter(({ presence }) => presence.upstreamSignal.aborted)
  expect(ended).toEqual(calls.slice(-1))
  for (const { presence } of calls) presence.end()
})

test('ends the upstream when access ends before there is anything to end', () => {
  const { presence, openCalls } = open()
  presence.revoke(ENDED)
  expect([presence.isRevoked, presence.hasLeft, presence.upstreamSignal.aborted]).toEqual([true, true, true])
  expect(openCalls.size).toBe(0)
})

test('lets a response end itself when access ends, once', () => {
  const { presence } = open()
  const reasons: unknown[] = []
  presence.whenRevoked(reason => reasons.push(reason))
  presence.revoke(ENDED)
  presence.revoke(ENDED)
  expect(reasons).toEqual([ENDED])
  expect([presence.hasLeft, presence.upstreamSignal.aborted]).toEqual([false, false])
  presence.end()
})

test('is over for whoever revokes later', () => {
  const { presence, openCalls } = open()
  presence.end()
  presence.revoke(ENDED)
  expect([presence.isRevoked, openCalls.size]).toEqual([false, 0])
})
