import type { JsonObject } from '../../provider-kit/json.ts'

/** Writes named events with consecutive numbers. */
export interface EventWriter {
  write(type: string, fields: JsonObject): string
  /** Writes an event whose field `response` is given as JSON. */
  writeResponse(type: string, responseJson: string): string
  writeDelta(shape: DeltaShape, text: string): string
}

/** The parts of a delta event that are the same for all deltas of an item, as JSON. */
export interface DeltaShape {
  readonly type: string
  readonly beforeText: string
  readonly afterText: string
}

/** `location` says which item and part the deltas belong to. */
export const createDeltaShape = (type: string, location: JsonObject, rest: JsonObject = {}): DeltaShape => {
  const fields = JSON.stringify(rest).slice(1)
  return {
    type,
    beforeText: `,${JSON.stringify(location).slice(1, -1)},"delta":`,
    afterText: fields === '}' ? fields : `,${fields}`,
  }
}

/** Numbers events from `first` on. */
export function createEventWriter(first: number): EventWriter {
  let next = first
  const head = (type: string): string => `event: ${type}\ndata: {"type":"${type}","sequence_number":${next++}`
  return {
    write: (type, fields) => `${head(type)},${JSON.stringify(fields).slice(1)}\n\n`,
    writeResponse: (type, responseJson) => `${head(type)},"response":${responseJson}}\n\n`,
    writeDelta: ({ type, beforeText, afterText }, text) =>
      `${head(type)}${beforeText}${JSON.stringify(text)}${afterText}\n\n`,
  }
}
