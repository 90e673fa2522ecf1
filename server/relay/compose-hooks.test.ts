import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../core/errors.ts'
import { sameInBoth } from '../core/language.ts'
import { noopLogger } from '../core/logger.ts'
import { composeHooks } from './compose-hooks.ts'
import type { HookOrder } from './hook-order.ts'
import type { FailedCall, RelayHooks } from './hooks.ts'

const NO_PLACES: HookOrder = { admit: [], completeBody: [], inspectRequest: [], orderCandidates: [] }
const FAILED: FailedCall = {
  rejected: undefined,
  requestId: 'r',
  startedMs: 0,
  traceContext: undefined,
  language: 'en',
  error: new Error('broken'),
  request: undefined,
}

const CALLER = {
  userId: 1,
  username: 'caller',
  role: 1,
  group: 'default',
  walletUnits: 1,
  token: undefined,
  pinnedChannelId: undefined,
}

const inspector = (word: string): RelayHooks => ({
  inspectRequest: {
    inspectBody: () => Promise.reject(new GatewayError('invalid_request', sameInBoth(word))),
    inspectEvent() {
      throw new GatewayError('invalid_request', sameInBoth(word))
    },
  },
})

test('leaves a hook that no feature joins undefined', () => {
  const hooks = composeHooks(new Map([['one', {}]]), noopLogger, NO_PLACES)
  expect(Object.values(hooks).filter(hook => hook !== undefined)).toEqual([])
})

test('calls the features of an ordered hook in their order', async () => {
  const joined = new Map([
    ['one', inspector('one')],
    ['two', inspector('two')],
  ])
  const { inspectRequest } = composeHooks(joined, noopLogger, {
    ...NO_PLACES,
    inspectRequest: ['two', 'one'],
  })
  await expect(inspectRequest?.inspectBody({ caller: CALLER, model: 'lab', clientBody: {} })).rejects.toThrow(
    'two',
  )
})

test('a feature that fails after a request neither fails it nor keeps others from learning of it', () => {
  const errors: unknown[] = []
  const learned: string[] = []
  const log = { ...noopLogger, error: (_: string, fields?: object) => void errors.push(fields) }
  const joined = new Map<string, RelayHooks>([
    [
      'one',
      {
        failed() {
          throw new Error('a bug')
        },
      },
    ],
    ['two', { failed: ({ requestId }) => void learned.push(requestId) }],
  ])
  composeHooks(joined, log, NO_PLACES).failed?.(FAILED)
  expect(learned).toEqual(['r'])
  expect(errors).toMatchObject([{ request_id: 'r', reason: 'a bug' }])
})

describe('does not start', () => {
  test('when a feature joins an ordered hook without a place in it', () => {
    expect(() => composeHooks(new Map([['one', inspector('one')]]), noopLogger, NO_PLACES)).toThrow(
      'the feature one joins the hook inspectRequest without a place in it: add its name to inspectRequest in server/relay/hook-order.ts',
    )
  })

  test('when the order names a feature that is gone', () => {
    const places = { ...NO_PLACES, inspectRequest: ['one'] }
    expect(() => composeHooks(new Map(), noopLogger, places)).toThrow(
      'server/relay/hook-order.ts names one in inspectRequest, but features/one does not exist or does not join it: remove the name',
    )
  })
})
