import { MIB } from '#server/core/limits.ts'
import { toInputAgain, toInputItems } from '#server/dialects/responses/stored-items.ts'
import { asArray, asObject, asString, type JsonObject } from '#server/provider-kit/json.ts'
import type { SocketMemory } from './socket-memory.ts'

/** Longer conversations must be sent again as a whole. */
const CHARS_MAX = 8 * MIB

interface KeptResponse {
  readonly id: string
  /** The whole conversation up to the response. */
  readonly items: readonly JsonObject[]
  /** The response in the store that the items continue. */
  readonly previousId: unknown
  readonly chars: number
}

/**
 * The latest response of a connection, if it is stored nowhere else: the next turn may refer to it and sends only what it
 * adds.
 */
export class ConnectionState {
  private readonly userId: number
  private readonly memory: SocketMemory
  private kept: KeptResponse | undefined

  constructor(userId: number, memory: SocketMemory) {
    this.userId = userId
    this.memory = memory
  }

  /** The request with the conversation in place of the reference to it. Other references are left to the relay. */
  resolve(fields: JsonObject): JsonObject {
    const { previous_response_id: previousId, ...rest } = fields
    const added = toInputItems(fields.input)
    const { kept } = this
    if (!kept || previousId !== kept.id || !added) return fields
    const earlier = kept.previousId === undefined ? {} : { previous_response_id: kept.previousId }
    return { ...rest, ...earlier, input: [...kept.items, ...added] }
  }

  keep({ input, previous_response_id: previousId }: JsonObject, response: JsonObject): void {
    this.forget()
    const id = asString(response.id)
    const output = toInputAgain(asArray(response.output).map(asObject))
    const items = [...(toInputItems(input) ?? []), ...output]
    const chars = JSON.stringify(items).length
    if (!id || chars > CHARS_MAX || !this.memory.take(this.userId, chars)) return
    this.kept = { id, items, previousId, chars }
  }

  forget(): void {
    if (this.kept) this.memory.give(this.userId, this.kept.chars)
    this.kept = undefined
  }
}
