import type { StreamEvent, StreamPiece } from '../contract/operation-adapter.ts'
import { invalidJsonFailure } from '../failures.ts'
import { isObject, type JsonObject, parseJson } from '../json.ts'

/**
 * Reads a stream of JSON objects. Blank events say nothing, nor does the end of chat completions, which servers of several
 * formats send after each of their streams.
 */
export const readJsonEvents =
  <Chunk>(
    readEvent: (json: JsonObject, name: StreamEvent['name']) => readonly StreamPiece<Chunk>[],
    parse: (text: string) => unknown = parseJson,
  ) =>
  ({ data, name }: StreamEvent): readonly StreamPiece<Chunk>[] => {
    if (data === '' || data === '[DONE]') return []
    const json = parse(data)
    return isObject(json) ? readEvent(json, name) : [{ type: 'failure', failure: invalidJsonFailure() }]
  }
