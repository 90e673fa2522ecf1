import { expect, test } from 'bun:test'
import { CancelSource } from '../../core/cancel-signal.ts'
import { RELAY_TIMEOUTS } from '../../http-client/read-response.ts'
import { receivedResponse } from '../../testing/received-response.ts'
import { pollUntilDone } from './poll-until-done.ts'
import type { PreparedCall } from './prepare-call.ts'

/** More than any of these requests may make. */
const POLLS_MAX = 20

/** Polls an upstream that responds with these statuses, the last of them again and again. Returns the number of polls. */
async function poll(statuses: readonly number[], { timeoutMs = 60_000, signal = new CancelSource() } = {}) {
  let polls = 0
  const prepared = {
    adapter: {
      nextPoll: () => ({ afterMs: 1, request: { url: 'http://upstream.test', headers: {} } }),
    },
    channel: { view: { id: 1, key: 'k', setting: {} } },
  } as unknown as PreparedCall
  const send = async () => {
    polls += 1
    if (polls > POLLS_MAX) throw new Error('the polls do not end')
    if (polls > statuses.length) signal.abort()
    return receivedResponse(Response.json({}, { status: statuses[polls - 1] ?? statuses.at(-1) ?? 200 }))
  }
  const timeouts = { ...RELAY_TIMEOUTS, jsonHeadersMs: timeoutMs }
  const outcome = await pollUntilDone({}, prepared, { send, timeouts }, signal).catch(
    (error: unknown) => error,
  )
  return { polls, outcome }
}

test('ends with the third poll in a row that the provider fails', async () => {
  const { polls, outcome } = await poll([500, 502, 200, 500, 502, 503, 200])
  expect(outcome).toMatchObject({ kind: 'failure', failure: { status: 503 } })
  expect(polls).toBe(6)
})

test('ends with the first poll that the provider refuses', async () => {
  const { polls, outcome } = await poll([500, 404, 200])
  expect(outcome).toMatchObject({ kind: 'failure', failure: { status: 404 } })
  expect(polls).toBe(2)
})

test('ends when the provider takes too long', async () => {
  const { polls, outcome } = await poll([200], { timeoutMs: 0 })
  expect(outcome).toMatchObject({ code: 'upstream_timeout' })
  expect(polls).toBe(0)
})

test('ends when the client leaves', async () => {
  const { polls, outcome } = await poll([200, 200])
  expect(outcome).toMatchObject({ code: 'client_closed_request' })
  expect(polls).toBe(3)
})
