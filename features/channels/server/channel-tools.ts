import type { BothLanguages, LocalizedMessage } from '#server/core/language.ts'
import type { RoutingChannelRow } from '#server/db/channels/channels.ts'
import type { RelayContext } from '#server/relay/relay-context.ts'
import { previewRoute } from './preview.ts'
import { probeUsage } from './probe-usage.ts'
import { testChannel, testUnsavedChannel } from './test-channel.ts'

/** What the endpoints of channels ask of the request pipeline. */
export interface ChannelTools {
  readonly channelTester: ChannelTester
  readonly previewRoute: PreviewRoute
}

export const createChannelTools = (relay: () => RelayContext): ChannelTools => ({
  channelTester: {
    testChannel: (id, options) => testChannel(relay(), id, options),
    testUnsaved: (channel, key, options) => testUnsavedChannel(relay(), { channel, key }, options),
    probeUsage: (id, model) => probeUsage(relay(), id, model),
  },
  async previewRoute(query) {
    const context = relay()
    await context.channels.refresh()
    return previewRoute(context, query)
  },
})

/** Where a request would be sent, without sending it. */
export interface ApiRoutePreview {
  /** In the order in which they are tried. */
  readonly candidates: readonly ApiRouteCandidate[]
  /** Channels tried at most for one request. */
  readonly attemptsMax: number
  /** Why the request would be rejected. */
  readonly error?: { readonly code: string } & LocalizedMessage
}

interface ApiRouteCandidate {
  readonly channelId: number
  readonly channelName: string
  readonly maxInputTokens: number
  readonly priority: number
  readonly weight: number
  /** Probability, from 0 to 1, that this channel is tried first. */
  readonly chance: number
  readonly upstreamModel: string
  readonly skipReason?: string
}

/** Finds the channels for a group and a model without sending a request. */
export type PreviewRoute = (request: {
  readonly group: string
  readonly model: string
}) => Promise<ApiRoutePreview>

/** Sends a small request through one channel, the way relayed requests go. An upstream failure is a result, not an error. */
export interface ChannelTester {
  testChannel(channelId: number, options: ChannelTestOptions): Promise<ChannelTestOutcome>
  /** Tests a channel that is not stored, so its key is passed in plain text. */
  testUnsaved(
    channel: UnsavedChannelRow,
    key: string,
    options: ChannelTestOptions,
  ): Promise<ChannelTestOutcome>
  /** Finds out how an upstream counts. An empty model is chosen as for a test. Throws GatewayError when a request fails. */
  probeUsage(channelId: number, model: string): Promise<ApiUsageProbe>
}

export interface ApiUsageProbe {
  readonly model: string
  readonly requests: readonly {
    readonly prompt: number
    readonly cached: number
    readonly completion: number
    readonly reasoning: number
  }[]
  readonly findings: {
    readonly cached_tokens?: 'included' | 'separate'
    readonly reasoning_tokens?: 'included' | 'separate'
    readonly usage_multiplier?: number
  }
}

export interface ChannelTestOptions {
  /** When empty, the channel's test model or else its first model is used. */
  readonly model: string
  /** Requests a stream and reads it to the end. */
  readonly isStream: boolean
}

export type UnsavedChannelRow = Omit<RoutingChannelRow, 'key_sealed'>

export interface ChannelTestOutcome {
  readonly ok: boolean
  /** Why the test failed; empty when it passed. */
  readonly message: BothLanguages
  readonly timeMs: number
  /** The provider no longer accepts the key, which is a reason to disable the channel. */
  readonly isKeyRevoked?: boolean
}
