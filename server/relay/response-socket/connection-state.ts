import { MIB } from '../../core/limits.ts'
import { asArray, asObject, asString, type JsonObject } from '../../provider-kit/json.ts'
import { toInputItems } from '../stored-responses/items.ts'
import { findResponseIdOfItem } from '../stored-responses/stored-ids.ts'

/** Longer conversations must be sent again as a whole. */
const CHARS_MAX = 8 * MIB
/** Of all connections of this process. */
const ALL_CHARS_MAX = 256 * MIB
let allChars = 0

interface KeptResponse {
  readonly id: string
  /** The whole conversation up to the response. */
  readonly items: readonly JsonObject[]
  readonly chars: number
}

/**
 * The latest response of a connection, if it is stored nowhere else: the next turn may refer to it and sends only what it
 * adds.
 */
export class ConnectionState {
  private kept: KeptResponse | undefined

  /** The request with the conversation in place of the reference to it. Other references are left to the relay. */
  resolve(fields: JsonObject): JsonObject {
    const { previous_response_id: previousId, ...rest } = fields
    const added = toInputItems(fields.input)
    const { kept } = this
    if (!kept || previousId !== kept.id || !added) return fields
    return { ...rest, input: [...kept.items, ...added] }
  }

  keep({ input }: JsonObject, response: JsonObject): void {
    this.forget()
    const id = asString(response.id)
    const output = asArray(response.output).map(asObject).filter(canBeSentAgain).map(withoutId)
    const items = [...(toInputItems(input) ?? []), ...output]
    const chars = JSON.stringify(items).length
    if (!id || chars > CHARS_MAX || allChars + chars > ALL_CHARS_MAX) return
    allChars += chars
    this.kept = { id, items, chars }
  }

  forget(): void {
    allChars -= this.kept?.chars ?? 0
    this.kept = undefined
  }
}

/** A vendor cannot find its own reasoning again if it is neither stored nor encrypted. */
const canBeSentAgain = ({ type, id, encrypted_content: encrypted }: JsonObject): boolean =>
  type !== 'reasoning' ||
  typeof encrypted === 'string' ||
  findResponseIdOfItem(asString(id) ?? '') !== undefined

/** A vendor looks up the ids of items, and has not stored these. */
const withoutId = (item: JsonObject): JsonObject => {
  const { id: _, ...rest } = item
  return item.type === 'reasoning' ? item : rest
}
