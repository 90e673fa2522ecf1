import type { Language } from '../core/language.ts'
import type { HoldEstimate, Reservation } from './billing/hold.ts'
import type { InspectedRequest } from './hooks.ts'
import type { RelayContext } from './relay-context.ts'
import type { ClientConnection } from './request/client-connection.ts'
import type { EarlyStream } from './response/response-body.ts'
import type { RoutableRequest, RoutePlan } from './routing/choose-route.ts'
import type { ObservedRequest } from './telemetry/observer.ts'
import type { BentModel, PathParams, RelayCall, RequestArrival } from './types.ts'

/** What clients can ask of a path. All that differs between chats, counts, lookups and tasks is in here. */
export type Operation = LookupOperation | FreeOperation | PaidOperation

/** A request of any operation, once its body is parsed. */
export interface AnyRequest
  extends RequestArrival,
    InspectedRequest,
    Omit<ObservedRequest, 'caller'>,
    RoutableRequest {}

interface OperationErrors<Request> {
  /** An error in a format of the operation's own. Undefined: it is written in the client's dialect. */
  writeError?(error: unknown, failed: FailedOperation<Request>): Response | undefined
}

interface FailedOperation<Request> {
  readonly arrival: RequestArrival
  /** Undefined when the call failed before its body was parsed, and for operations that are free. */
  readonly request: Request | undefined
  /** The client is already reading a stream. */
  readonly isStreaming: boolean
}

/** Calls no model, and is free. */
export interface LookupOperation extends OperationErrors<AnyRequest> {
  readonly finishes: 'lookup'
  /** It costs about as much as a request: a caller with an empty wallet is rejected. */
  readonly needsBalance?: boolean
  respond(call: RelayCall, context: RelayContext): Promise<Response>
}

interface ParsedOperation<Request> extends OperationErrors<Request> {
  /** Reads the body. The request is as its caller, and the features, let it through. */
  parse(call: RelayCall, context: RelayContext): Promise<Request>
}

/** Asks about a model, and is free. */
export interface FreeOperation<Request = AnyRequest> extends ParsedOperation<Request> {
  readonly finishes: 'free'
  respond(request: Request, call: RelayCall, context: RelayContext): Promise<Response>
}

/** Is paid for: with its response, or later by a task. */
export interface PaidOperation<Request = AnyRequest> extends ParsedOperation<Request> {
  readonly finishes: 'now' | 'later'
  /** Throws GatewayError `model_price_missing`. */
  estimate(request: Request, plan: RoutePlan, context: RelayContext): HoldEstimate
  /** Puts another model in the place of the request's own. Throws GatewayError `model_not_allowed`. */
  bend?(request: Request, bend: BentModel, context: RelayContext): Request
  /** As the hook. */
  respondInstead?(
    request: Request,
    planned: { readonly plan: RoutePlan; readonly hold: HoldEstimate },
    call: RelayCall,
    context: RelayContext,
  ): Promise<Response | undefined>
  /** For a request whose client must not be left in silence until `run` responds. */
  streamEarly?(
    paid: Omit<PaidRequest<Request>, 'reservation'>,
    call: RelayCall,
    context: RelayContext,
  ): EarlyStream | undefined
  /** Responds once the money is held. */
  run(paid: PaidRequest<Request>, call: PaidCall, context: RelayContext): Promise<Response>
  /** Closes the hold of a request that failed. Not defined where `run` does: the hold may already belong to a task. */
  closeHold?(error: unknown, paid: Omit<PaidRequest<Request>, 'plan'>, context: RelayContext): Promise<void>
}

export interface PaidCall extends RelayCall {
  readonly early: EarlyStream | undefined
}

/** A request whose price is held. */
export interface PaidRequest<Request> {
  readonly request: Request
  readonly plan: RoutePlan
  readonly reservation: Reservation
}

/** Responds to anyone, without an API key. Never rejects. */
export type PublicPage = (call: PublicCall, context: RelayContext) => Promise<Response>

export interface PublicCall {
  readonly connection: ClientConnection
  readonly params: PathParams
  readonly requestId: string
  readonly language: Language
}
