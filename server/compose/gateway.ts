import type { ApiDeps } from '../api/context.ts'
import type { Config } from '../config/config.ts'
import { createDialects } from '../dialects/dialects.ts'
import type { RelayContext } from '../relay/relay-context.ts'
import { createCallerLookup } from '../relay/request/find-caller.ts'
import { ChannelHealth } from '../relay/routing/channel-health.ts'
import { previewRoute } from '../relay/routing/preview.ts'
import { SessionAffinity } from '../relay/routing/choose-route.ts'
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
  const { db, ledger, registry, secrets, log, channels, settings, rateLimiter, send, outside } = store
  return {
    db,
    ledger,
    callers: createCallerLookup({ db, log, secrets }),
    registry,
    dialects: createDialects(modules.dialects),
    secrets,
    log,
    channels,
    health: new ChannelHealth(processes),
    sessionAffinity: new SessionAffinity(),
    settings: following(() => settings.current().values, relaySettingsOf),
    send,
    connect: openConnect(config),
    safeFetch: openEgress({ allowed: config.egressAllowed }),
    credentials: openCredentials(send),
    timeouts: RELAY_TIMEOUTS,
    rateLimiter,
    observer: seeing.watch,
    tracing: seeing.tracing,
    notifyChannelDisabled: outside.rootNotices.channelDisabled,
  }
}

/** What the management API may ask of the relay. */
export const relayToolsOf = (gateway: RelayContext): Pick<ApiDeps, 'channelTester' | 'previewRoute'> => ({
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
