import type { ChatChunk } from '../provider-kit/contract/chat.ts'
import type { DialectName } from '../provider-kit/contract/operation-adapter.ts'
import type { JsonObject } from '../provider-kit/json.ts'
import type { Admission } from './admission/admit.ts'
import type { ClientConnection } from './request/client-connection.ts'
import type { BodyCompletion } from './request/parse-request.ts'
import type { RoutedChannel } from './routing/channel-directory.ts'
import type { OrderCandidates, RoutePlan } from './routing/choose-route.ts'
import type {
  ActiveRequest,
  Caller,
  CallOwner,
  Outcome,
  RelayCall,
  RelayRequest,
  RequestArrival,
  ThoughtReader,
} from './types.ts'

/**
 * The moments of a request at which features join it, in their order. The list is closed, and none of the hooks moves
 * money. Features are composed once at start: a hook that none of them joins is undefined, and none is called for each
 * event of a stream.
 */
export interface RelayHooks {
  /** 1. Admits a call beyond the rates of its caller, before the body is read. Throws GatewayError to refuse it. */
  readonly admit?: ((call: RelayCall) => Promise<Admission>) | undefined
  /** 2. Completes the client's body, before it is parsed, with what it refers to. Undefined leaves it as it is. */
  readonly completeBody?: BodyCompletion | undefined
  /** 3. Changes a parsed request. Throws GatewayError to refuse it. */
  readonly adaptRequest?: ((request: RelayRequest) => Promise<RelayRequest>) | undefined
  /** 4. Refuses a request for what it says. Nothing is held yet. */
  readonly inspectRequest?: RequestInspector | undefined
  /** 5. Changes the order in which channels are tried. */
  readonly orderCandidates?: OrderCandidates | undefined
  /** 6. Responds in place of a channel, before money is held. Undefined leaves the request to the channels. */
  readonly respondInstead?: RespondInstead | undefined
  /** 7. Records the response while it is sent, without delaying its parts. */
  readonly recordResponse?: RecordResponse | undefined
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

export type RespondInstead = (
  request: RelayRequest,
  /** `leastUnits`: what its payer must be able to reserve. */
  planned: { readonly plan: RoutePlan; readonly leastUnits: number },
  call: RelayCall,
) => Promise<Response | undefined>

export type RecordResponse = (request: RelayRequest, response: RecordedResponse) => Recording | undefined

export interface RecordedResponse {
  readonly connection: ClientConnection
  /** The provider speaks the client's dialect, and stores what that dialect stores. */
  readonly isNative: boolean
  readonly maker: ThoughtReader
}

/** Stores a response while it is sent. */
export interface Recording {
  /** Writes the input, which a stream must not keep in memory. */
  begin(): void
  /** Resolves when other processes can find the response. Never rejects. */
  complete(response: JsonObject): Promise<void>
  /** Where the last event of a stream does not repeat the response. */
  readonly collector?: ResponseCollector | undefined
  /** Only where what the model thought before its calls is to be kept. */
  readonly thoughts?: ThoughtRecording | undefined
  /** For a response that has failed, or that its client has not received. Never rejects. */
  drop(): Promise<void>
}

/** Puts a response together from the events of its stream. */
export interface ResponseCollector {
  /** As far as it is. Undefined before its first event. */
  readonly response: JsonObject | undefined
  add(event: JsonObject): void
}

export interface ThoughtRecording {
  /** Called for each piece of the response, streamed or not. */
  add(chunk: ChatChunk): void
  /** Resolves when other processes can find the thoughts. Never rejects. */
  keep(): Promise<void>
}

export interface SettledRequest {
  readonly requestId: string
  /** As it was requested. */
  readonly model: string
  readonly channel: RoutedChannel
  /** In units. Undefined when nothing was charged and the hold was released. */
  readonly charge: number | undefined
  /** The provider's charge in billionths of a dollar; undefined where it is unknown. */
  readonly costNanos: number | undefined
  /** Undefined for a task, whose response was sent when it was submitted. */
  readonly response: { readonly request: ActiveRequest; readonly outcome: Outcome } | undefined
}

export interface FailedCall extends RequestArrival {
  readonly error: unknown
  /** Undefined when the call failed before its body was parsed. */
  readonly request: InspectedRequest | undefined
  /** Set when money was to be held for the call, and was not: so nothing else records it. */
  readonly rejected: RejectedCall | undefined
}

export interface RejectedCall {
  readonly owner: CallOwner
  readonly dialect: DialectName
}
