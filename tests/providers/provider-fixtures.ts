import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { asObject, isObject, type JsonObject } from '#server/provider-kit/json.ts'
import { type RecordedChannel, toRecordedChannel } from './recorded-channel.ts'

/** The operations that fixtures name in `expect.json`. */
export const OPERATION_KEYS = [
  'completions',
  'images',
  'imageEdits',
  'imageVariations',
  'speech',
  'transcription',
  'translation',
  'rerank',
  'moderation',
] as const
type OperationKey = (typeof OPERATION_KEYS)[number]

/** The expected reading of one recorded response. Its fields tell which operation it belongs to. */
export interface Expectation {
  /** The requested model, where the provider's format depends on it. */
  readonly model?: string
  readonly content?: string
  readonly reasoning?: string
  readonly reasoning_signature?: string
  readonly refusal?: string
  readonly tool_calls?: readonly object[]
  readonly finish_reason?: string
  /** With OpenAI's field names, details flattened. `estimated`: the provider reports none. */
  readonly usage?: Readonly<Record<string, number>> | 'estimated'
  /** A subset of the failure. */
  readonly error?: object
  readonly vectors?: readonly unknown[]
  readonly models?: readonly string[]
  /** The token count of a body. */
  readonly tokens?: number
  /** The usage of a recorded conversation. */
  readonly realtime?: Readonly<Record<string, number>>
  /**
   * For operations other than chat and embeddings: the operation, extra request fields, and a subset of the reply.
   */
  readonly operation?: OperationKey
  readonly body?: JsonObject
  readonly reply?: object
  /** The file with the expected request body. */
  readonly request?: string
  /** The `content-type` of a response that is neither JSON nor events. */
  readonly content_type?: string
  /** For a task submission: a subset of the result; null where the provider rejected it. */
  readonly receipt?: object | null
  /** A subset of each task's state. */
  readonly states?: readonly object[]
  /** A subset of the state in a webhook notification. */
  readonly notice?: object
  /** A subset of the response to a seed request. */
  readonly seed?: object
  /** The recorded responses of several calls, in order. */
  readonly responses?: readonly string[]
  readonly amount?: number
  readonly currency?: string
}

export interface RecordedError {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** The status to report where the provider hides the error in a 200. */
  readonly map_to_status?: number
  /** The status for clients, where they expect another one: 404 for a model that the provider does not have. */
  readonly shown_status?: number
  /** A subset of the expected failure. */
  readonly expect?: object
}

export interface ProviderFixtures extends RecordedChannel {
  /** By file name; `balance` for the balance requests. */
  readonly expectations: ReadonlyMap<string, Expectation>
  readonly errors: readonly RecordedError[]
  readonly files: readonly string[]
  json(file: string): unknown
  text(file: string): string
  /** The raw bytes. For `*.b64.txt`, the decoded base64. */
  bytes(file: string): Uint8Array
}

const ROOT = 'server/providers'

/** The fixtures of one provider's folder. Throws when `expect.json` or `errors.json` is missing. */
export function readFixtures(provider: string): ProviderFixtures {
  const folder = join(ROOT, provider, 'fixtures')
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
