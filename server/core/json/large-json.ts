import { nextTurn } from '../async.ts'

/** A piece takes a fraction of a millisecond. */
const PIECE_CHARS = 128 * 1024

/** A value with long strings that becomes JSON only when it is sent, in pieces, between which other requests take their turns. */
export class LargeJson {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }

  /** What `JSON.stringify` returns, as UTF-8 in pieces. */
  async encode(): Promise<readonly Uint8Array<ArrayBuffer>[]> {
    const pieces: Uint8Array<ArrayBuffer>[] = []
    for (const text of new JsonWriter().pieces(this.value)) {
      pieces.push(Buffer.from(text))
      await nextTurn()
    }
    return pieces
  }

  /** All at once, for a signature. */
  toBytes(): Uint8Array<ArrayBuffer> {
    return Buffer.concat([...new JsonWriter().pieces(this.value)].map(text => Buffer.from(text)))
  }
}

/** Writes a value as JSON and hands the text over whenever there is enough for a piece. */
class JsonWriter {
  private text = ''

  private take(): string {
    const { text } = this
    this.text = ''
    return text
  }

  *pieces(value: unknown): Generator<string> {
    yield* this.write(value)
    yield this.take()
  }

  /** Recursive, so the depth must have been limited before. */
  private *write(value: unknown): Generator<string> {
    if (typeof value === 'string' && value.length > PIECE_CHARS) yield* this.writeLongString(value)
    else if (Array.isArray(value)) yield* this.writeList(value)
    else if (isPlainObject(value)) yield* this.writeObject(value)
    else this.text += JSON.stringify(value) ?? 'null'
    if (this.text.length >= PIECE_CHARS) yield this.take()
  }

  private *writeList(list: readonly unknown[]): Generator<string> {
    let separator = '['
    for (const entry of list) {
      this.text += separator
      yield* this.write(entry)
      separator = ','
    }
    this.text += list.length === 0 ? '[]' : ']'
  }

  private *writeObject(object: object): Generator<string> {
    let separator = '{'
    for (const [key, value] of Object.entries(object)) {
      if (value === undefined) continue
      this.text += `${separator}${JSON.stringify(key)}:`
      yield* this.write(value)
      separator = ','
    }
    this.text += separator === '{' ? '{}' : '}'
  }

  private *writeLongString(string: string): Generator<string> {
    this.text += '"'
    for (const slice of slices(string)) {
      yield this.take()
      yield JSON.stringify(slice).slice(1, -1)
    }
    this.text += '"'
  }
}

/** Numbers in the words of the client are raw JSON, which only `JSON.stringify` understands. */
const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !JSON.isRawJSON(value)

/** Cuts a text into pieces without dividing a surrogate pair. */
function* slices(text: string): Generator<string> {
  let start = 0
  while (start < text.length) {
    const end = start + PIECE_CHARS
    const isPairCut = isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length
    const slice = text.slice(start, isPairCut ? end - 1 : end)
    yield slice
    start += slice.length
  }
}

const isHighSurrogate = (code: number): boolean => code >= 0xd8_00 && code <= 0xdb_ff
