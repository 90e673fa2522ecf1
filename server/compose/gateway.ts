import type { ApiParts } from '../api/context.ts'
import type { Config } from '../config/config.ts'
import { openDialects } from '../dialects/dialects.ts'
import type { RelayContext } from '../relay/relay-context.ts'
import { createCallerLookup } from '../relay/request/find-caller.ts'
import { ChannelHealth } from '../relay/routing/channel-health.ts'
import { previewRoute } from '../relay/routing/preview.ts'
import { Affinity } from '../relay/routing/session-affinity.ts'
import { testChannel, testUnsavedChannel } from '../relay/test-channel.ts'
import { openCredentials } from '../relay/upstream/credentials.ts'
import { openEgress } from '../relay/upstream/safe-fetch.ts'
import { openConnect } from '../relay/upstream/send.ts'
import { RELAY_TIMEOUTS } from '../relay/upstream/timeouts.ts'
import type { Modules } from './modules.ts'
import { relaySettingsOf } from './relay-settings.ts'
import type { Store } from './store.ts'
import type { Seeing } from './telemetry.ts'

interface GatewayParts {
  readonly store: Store
  readonly config: Config
  readonly modules: Modules
  /** How many processes share the database. */
  readonly processes: () => number
  readonly seeing: Seeing
}

export function openGateway(parts: GatewayParts): RelayContext {
  const { store, config, modules, processes, seeing } = parts
  const { db, ledger, registry, secrets, log, channels, settings, rateWindows, send, outside } = store
  return {
    db,
    ledger,
    callers: createCallerLookup({ db, log, secrets }),
    registry,
    dialects: openDialects(modules.dialects),
    secrets,
    log,
    channels,
    health: new ChannelHealth(processes),
    affinity: new Affinity(),
    settings: following(() => settings.current().values, relaySettingsOf),
    send,
    connect: openConnect(config),
    egress: openEgress({ allowed: config.egressAllowed }),
    credentials: openCredentials(send),
    timeouts: RELAY_TIMEOUTS,
    rateWindows,
    watch: seeing.watch,
    tracing: seeing.tracing,
    tellChannelDisabled: outside.rootNotices.channelDisabled,
  }
}

/** What the management API may ask of the relay. */
export const relayToolsOf = (gateway: RelayContext): Pick<ApiParts, 'channelTester' | 'previewRoute'> => ({
  channelTester: {
    testChannel: (id, wanted) => testChannel(gateway, id, wanted),
    testUnsaved: (channel, key, wanted) => testUnsavedChannel(gateway, { channel, key }, wanted),
  },
  previewRoute: async wanted => previewRoute(gateway, wanted),
})

/** A value derived from another, made anew only when that one is. */
function following<Source extends object, Value>(read: () => Source, derive: (source: Source) => Value) {
  let source: Source | undefined
  let value: Value
  return {
    current(): Value {
      const found = read()
      if (found !== source) value = derive(found)
      source = found
      return value
    },
  }
}
