import type { DialectName } from '#server/provider-kit/contract/operation-adapter.ts'
import type { JsonObject } from '#server/provider-kit/json.ts'
import type { ResponseCollector } from '#server/relay/hooks.ts'

/** What differs between the APIs whose responses are stored. */
export interface StoredFormat {
  readonly dialect: DialectName
  toId(requestId: string): string
  isOwnId(id: string): boolean
  /** The field of a request with the id of the response that it continues. */
  readonly previousField: string
  /** What a request refers to in our store. */
  readReferences(json: JsonObject): StateReferences
  /** The input as items. Undefined for input of another form. */
  toInputItems(input: unknown): readonly JsonObject[] | undefined
  /** Items of earlier responses as input. */
  toInputAgain(items: readonly JsonObject[]): readonly JsonObject[]
  /** Input items as the API lists them. */
  toListedItems(items: readonly JsonObject[], requestId: string): readonly JsonObject[]
  readOutput(response: JsonObject): readonly JsonObject[]
  /** The references of a request's own body, which its response repeats. */
  toEchoedFields(references: EchoedReferences): JsonObject
  readonly events: StoredEvents
}

/** How the events of a response are written that runs in the background. */
export interface StoredEvents {
  /** The response of an event that has one. */
  responseOf(event: JsonObject): JsonObject
  /** The response before its first event. */
  toStarted(response: JsonObject): JsonObject
  /** The event with its number, and the id that the client knows. */
  toNumbered(event: JsonObject, number: number, id: string): JsonObject
  numberOf(event: JsonObject): number
  write(event: JsonObject): string
  /** The text behind the last event. */
  readonly end: string
  toFailed(response: JsonObject, error: ResponseError): JsonObject
  /** The last event of a response that was cut off. Undefined when it has none. */
  toLastEvent(response: JsonObject): JsonObject | undefined
  createCollector(): ResponseCollector
  /** Whether the last event of a stream leaves out what was generated, so that it is collected. */
  readonly isCollected: boolean
  /** The parameter with the number of the last event that a client has. */
  readonly afterParam: string
}

export interface ResponseError {
  readonly code: unknown
  readonly message: unknown
}

interface StateReferences {
  readonly previousId: string | undefined
  readonly itemIds: readonly string[]
  readonly conversationId: string | undefined
}

export interface EchoedReferences {
  readonly isStored: boolean
  readonly previousId?: string | undefined
  readonly conversationId?: string | undefined
}
