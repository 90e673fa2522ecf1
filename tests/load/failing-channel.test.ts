import { expect, test } from 'bun:test'
import { type Death, runFailingChannel } from './failing-channel/run-failing-channel.ts'

const REQUESTS = 1_000
const DEATHS: readonly Death[] = ['nobody listens', 'status-500', 'reset', 'garbage']

test.each(DEATHS)(
  `serves each of ${REQUESTS} requests while one of three channels is dead (%s)`,
  async death => {
    const { served, failures } = await runFailingChannel({ death, requests: REQUESTS, clients: 32 })
    expect(failures).toEqual([])
    expect(served).toBe(REQUESTS)
  },
)
