import type { Admission } from './admission/rate-limit.ts'
import type { RoutedChannel } from './routing/channel-directory.ts'
import type { OrderCandidates } from './routing/choose-route.ts'
import type { ActiveRequest, Caller, Outcome, RelayCall, RelayRequest, RequestArrival } from './types.ts'

/**
 * The moments of a request at which features join it, in their order. The list is closed, and none of the hooks moves
 * money. Features are composed once at start: a hook that none of them joins is undefined, and none is called for each
 * event of a stream.
 */
export interface RelayHooks {
  /** 1. Admits a call beyond the rates of its caller, before the body is read. Throws GatewayError to refuse it. */
  readonly admit?: ((call: RelayCall) => Promise<Admission>) | undefined
  /** 3. Changes a parsed request. Throws GatewayError to refuse it. */
  readonly adaptRequest?: ((request: RelayRequest) => Promise<RelayRequest>) | undefined
  /** 4. Refuses a request for what it says. Nothing is held yet, so that a refusal leaves no log row. */
  readonly inspectRequest?: RequestInspector | undefined
  /** 5. Changes the order in which channels are tried. */
  readonly orderCandidates?: OrderCandidates | undefined
  /** 8. Learns of a response that was charged or had no output, after the commit. */
  readonly settled?: ((settled: SettledRequest) => void) | undefined
  /** 9. Learns of a call that failed, after its hold was released. */
  readonly failed?: ((failure: FailedCall) => void) | undefined
}

/** Throws GatewayError for what it refuses. */
export interface RequestInspector {
  /** Lets other requests take their turns within long texts. */
  inspectBody(request: InspectedRequest): Promise<void>
  /** A client's event within a realtime conversation. At once, since events keep their order. */
  inspectEvent(event: unknown, request: ActiveRequest): void
}

export interface InspectedRequest {
  readonly caller: Caller
  readonly model: string
  /** The body as the client sent it, in its own dialect. */
  readonly clientBody: unknown
}

export interface SettledRequest {
  readonly requestId: string
  /** As it was requested. */
  readonly model: string
  readonly channel: RoutedChannel
  /** In units. Undefined when nothing was charged and the hold was released. */
  readonly charge: number | undefined
  /** What the provider charges in billionths of a dollar; undefined where it is unknown. */
  readonly costNanos: number | undefined
  /** Undefined for a task, whose response was sent when it was submitted. */
  readonly response: { readonly request: ActiveRequest; readonly outcome: Outcome } | undefined
}

export interface FailedCall extends RequestArrival {
  readonly error: unknown
  /** Undefined when the call failed before its body was parsed. */
  readonly request: InspectedRequest | undefined
}
