import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '../../server/provider-kit/contract/chat.ts'
import { asObject, isObject } from '../../server/provider-kit/json.ts'
import { type RecordedChannel, toRecordedChannel } from './recorded-channel.ts'

/** The operations whose recorded answers say in `expect.json` which one they belong to. */
export const OPERATION_KEYS = [
  'completions',
  'images',
  'imageEdits',
  'speech',
  'transcription',
  'translation',
  'rerank',
  'moderation',
] as const
type OperationKey = (typeof OPERATION_KEYS)[number]

/** What one recorded answer must be read as. Which fields it has says which operation it belongs to. */
export interface Expectation {
  /** The model that was asked, where the vendor's format depends on it. */
  readonly model?: string
  readonly content?: string
  readonly reasoning?: string
  readonly reasoning_signature?: string
  readonly refusal?: string
  readonly tool_calls?: readonly object[]
  readonly finish_reason?: string
  /** By OpenAI's names, details flattened. `estimated`: the vendor says nothing. */
  readonly usage?: Readonly<Record<string, number>> | 'estimated'
  /** A part of the failure. */
  readonly error?: object
  readonly vectors?: readonly unknown[]
  readonly models?: readonly string[]
  /** How many tokens a body has. */
  readonly tokens?: number
  /** What a recorded conversation used. */
  readonly realtime?: Readonly<Record<string, number>>
  /** Of every operation but chat and embeddings: which, what the client asked beside the usual, and a part of the reply. */
  readonly operation?: OperationKey
  readonly body?: JsonObject
  readonly reply?: object
  /** The file with the body that the vendor must be asked with. */
  readonly request?: string
  /** The `content-type` of an answer that is neither JSON nor events. */
  readonly content_type?: string
  /** Of a submission: a part of what the vendor answered; null where it refused. */
  readonly receipt?: object | null
  /** A part of each task's state. */
  readonly states?: readonly object[]
  /** A part of the state that a vendor tells by itself. */
  readonly notice?: object
  /** A part of the answer to the question for a picture's seed. */
  readonly seed?: object
  /** The recorded answers of several calls, in their order. */
  readonly responses?: readonly string[]
  readonly amount?: number
  readonly currency?: string
}

export interface RecordedError {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** The status to report where the vendor hides the error in a 200. */
  readonly map_to_status?: number
  /** A part of the failure that it must be read as. */
  readonly expect?: object
}

export interface VendorFixtures extends RecordedChannel {
  /** By file; `balance` for the conversation about the balance. */
  readonly expectations: ReadonlyMap<string, Expectation>
  readonly errors: readonly RecordedError[]
  readonly files: readonly string[]
  json(file: string): unknown
  text(file: string): string
  /** What came over the wire: of `*.b64.txt` the bytes that it stands for. */
  bytes(file: string): Uint8Array
}

const ROOT = 'server/providers'

/** The fixtures of one vendor's folder. Throws when `expect.json` or `errors.json` is missing. */
export function readFixtures(vendor: string): VendorFixtures {
  const folder = join(ROOT, vendor, 'fixtures')
  const text = (file: string): string => readFileSync(join(folder, file), 'utf8')
  const json = (file: string): unknown => JSON.parse(text(file))
  return {
    ...toRecordedChannel(existsSync(join(folder, 'channel.json')) ? json('channel.json') : undefined),
    expectations: new Map(Object.entries(asObject(json('expect.json'))).filter(isExpectation)),
    errors: listOfErrors(json('errors.json')),
    files: readdirSync(folder),
    json,
    text,
    bytes: file =>
      file.endsWith('.b64.txt') ? Buffer.from(text(file), 'base64') : new TextEncoder().encode(text(file)),
  }
}

const isExpectation = (entry: [string, unknown]): entry is [string, Expectation] => isObject(entry[1])

function listOfErrors(json: unknown): readonly RecordedError[] {
  if (Array.isArray(json) && json.every(isRecordedError)) return json
  throw new Error('errors.json must be a list of { status, headers, body }')
}

const isRecordedError = (value: unknown): value is RecordedError =>
  isObject(value) && typeof value.status === 'number' && isObject(value.headers) && 'body' in value
