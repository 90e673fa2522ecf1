import { sameInBoth } from '#server/core/language.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '#server/testing/open-test-app.ts'
import {
  type ChannelTester,
  type ChannelTestOptions,
  type ChannelTestOutcome,
  createChannelTools,
} from './channel-tools.ts'
import { createChannelsFeature } from './index.ts'

/** A test app whose channel tests send nothing. */
export interface ChannelsTestApp extends TestApp {
  /** The result of channel tests, and the calls that asked for them. */
  readonly relayTest: {
    result: ChannelTestOutcome | ((channelId: number) => Promise<ChannelTestOutcome>)
    readonly calls: RelayTestCall[]
  }
}

type RelayTestCall = readonly [
  channel: { readonly id: number; readonly key?: string },
  options: ChannelTestOptions,
]

const SUCCESSFUL_TEST: ChannelTestOutcome = { ok: true, message: sameInBoth(''), timeMs: 120 }

export async function openChannelsApp(options: TestAppOptions = {}): Promise<ChannelsTestApp> {
  const relayTest: ChannelsTestApp['relayTest'] = { result: SUCCESSFUL_TEST, calls: [] }
  const channels = createChannelsFeature(({ relayContext }) => ({
    ...createChannelTools(relayContext),
    channelTester: createTester(relayTest),
  }))
  return { ...(await openTestApp({ ...options, features: { channels } })), relayTest }
}

function createTester(relayTest: ChannelsTestApp['relayTest']): ChannelTester {
  const run = async (...call: RelayTestCall) => {
    relayTest.calls.push(call)
    return typeof relayTest.result === 'function' ? relayTest.result(call[0].id) : relayTest.result
  }
  return {
    testChannel: (id, options) => run({ id }, options),
    testUnsaved: (channel, key, options) => run({ ...channel, key }, options),
    probeUsage: async (_, model) => ({ model, requests: [], findings: {} }),
  }
}
