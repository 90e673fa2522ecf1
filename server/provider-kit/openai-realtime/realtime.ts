import { GatewayError } from '../../core/errors.ts'
import { parseStrictJson } from '../../core/json/json.ts'
import { type ModelUsage, mapBuckets, NO_USAGE, type Usage } from '../../core/usage.ts'
import { findAmbiguousKey } from '../body-fields.ts'
import { estimateTextTokens } from '../estimate-tokens.ts'
import { readInputParts, readServedModel, usageFromTotals } from '../extra-usage.ts'
import { asArray, asCount, asObject, asString, isObject, type JsonObject, parseJson } from '../json.ts'
import { readSpokenUsage } from '../openai-compatible/media.ts'

const PROTOCOL = 'realtime'
const BETA_PROTOCOL = 'openai-beta.realtime-v1'
const utf8 = new TextDecoder()

type Frame = string | Uint8Array

const listProtocols = (headers: Headers): readonly string[] =>
  (headers.get('sec-websocket-protocol') ?? '').split(',').map(protocol => protocol.trim())

/** Browsers close a socket unless the server accepts one of the protocols that they offered. */
export const acceptProtocol = (headers: Headers): string | undefined =>
  listProtocols(headers).includes(PROTOCOL) ? PROTOCOL : undefined

/** Browsers cannot set headers, so they request the beta version of the events as a sub-protocol. */
export function withBetaHeader(headers: Headers): Headers {
  if (!listProtocols(headers).includes(BETA_PROTOCOL)) return headers
  const changed = new Headers(headers)
  changed.set('openai-beta', 'realtime=v1')
  return changed
}

/** The fields of a client's event that are measured, at every level. */
const MEASURED_FIELDS = {
  type: true,
  audio: true,
  item: true,
  content: true,
  text: true,
  session: true,
  response: true,
  instructions: true,
  tools: true,
  input_audio_format: true,
  output_audio_format: true,
}

/** Far above the tools of a session: an event is parsed between the frames of all others. */
const EVENT_LIMITS = { keysMax: 10_000, elementsMax: 10_000, textCharsMax: 2 ** 30 }

/**
 * Throws GatewayError for an event that the provider could read in another way than the meter: one that is not JSON, or has
 * doubled keys, or keys that differ only by case.
 */
export function parseEvent(frame: Frame): unknown {
  const event = parseStrictJson(typeof frame === 'string' ? frame : utf8.decode(frame), EVENT_LIMITS)
  const { session, response, item } = asObject(event)
  for (const part of [event, session, response, item]) {
    const key = isObject(part) ? findAmbiguousKey(part, MEASURED_FIELDS) : undefined
    if (key !== undefined)
      throw new GatewayError('invalid_request', {
        zh: `${key}：该键与另一个键仅大小写不同`,
        en: `${key}: the key differs from another only by case`,
      })
  }
  return event
}

/** OpenAI's price of a minute of audio, in tokens. Source: platform.openai.com/docs/guides/realtime-costs */
const INPUT_TOKENS_PER_MINUTE = 100 / 0.06
const OUTPUT_TOKENS_PER_MINUTE = 200 / 0.24
/** 24,000 samples of two bytes. */
const PCM_BYTES_PER_SECOND = 48_000
/** Telephone audio: 8,000 samples of one byte. */
const G711_BYTES_PER_SECOND = 8_000
const BYTES_PER_BASE64_CHAR = 3 / 4

/** The session names the model that transcribes the input, which is another than the conversation's. */
const TRANSCRIBED = 'conversation.item.input_audio_transcription.completed'

/** Measures the usage of a conversation: the provider's figures, or an estimate where it reports none. */
export interface RealtimeMeter {
  fromClient(frame: Frame): void
  fromUpstream(frame: Frame): void
  /** Input is free until there is a response to it. */
  usage(): Usage
  /** Whether a response is in progress whose figures the provider has not reported yet. */
  isResponding(): boolean
  /** Whether a response was requested or has begun and is not over. */
  hasOpenResponse(): boolean
  /** Like `usage`, with the input of an open response without output so far. */
  usageWithOpenResponse(): Usage
  /** Figures of the provider that cannot be true. */
  rejectedUsage(): Usage | undefined
  /** As the provider's session names it. */
  servedModel(): string | undefined
  /** Whether some of the figures are not the provider's. */
  isEstimated(): boolean
}

/** Sorts out figures of one response that cannot be true. */
export type UsageCheck = (usage: Usage | undefined) => {
  readonly usage: Usage | undefined
  readonly rejectedUsage?: Usage
}

export function createRealtimeMeter(checkUsage: UsageCheck): RealtimeMeter {
  /** Finished responses, and what came since the last one. */
  let finished = NO_USAGE
  let pending = NO_USAGE
  let isEstimated = false
  let rejectedUsage: Usage | undefined
  let isResponseOpen = false
  const transcriptions = createTranscriptionMeter()
  let session = readSession({})
  const addPending = (more: Partial<Usage>): void => {
    pending = addUsage(pending, { ...NO_USAGE, ...more })
  }

  const isResponding = (): boolean => pending.output + pending.audioOutput > 0
  const openUsage = (): Usage => ({ ...pending, input: pending.input + session.instructionTokens })
  const pendingUsage = (): Usage => (isResponding() ? openUsage() : NO_USAGE)

  const onSession = (json: JsonObject): void => {
    session = readSession(json, session.servedModel)
    transcriptions.onSession(json)
  }

  const onResponseDone = (response: JsonObject): void => {
    const { usage, ...rejected } = checkUsage(readRealtimeUsage(response.usage))
    rejectedUsage ??= rejected.rejectedUsage
    isEstimated ||= !usage && isResponding()
    finished = addUsage(finished, usage ?? pendingUsage())
    pending = NO_USAGE
    isResponseOpen = false
  }

  const onTranscription = (event: JsonObject): void => {
    const { usage, ...rejected } = checkUsage(readSpokenUsage(event))
    rejectedUsage ??= rejected.rejectedUsage
    isEstimated ||= !usage
    if (usage && transcriptions.add(usage)) return
    finished = addUsage(finished, usage ? audioAsText(usage) : estimateTranscript(event))
  }

  return {
    fromClient(frame) {
      const event = readEvent(frame)
      if (event.type === 'input_audio_buffer.append')
        addPending({ audioInput: audioTokens(event.audio, session.inputByteRate, INPUT_TOKENS_PER_MINUTE) })
      else if (event.type === 'conversation.item.create') addPending({ input: estimateItemText(event.item) })
      else if (event.type === 'response.create') {
        isResponseOpen = true
        addPending({ input: estimateInstructions(event.response) })
      }
    },
    fromUpstream(frame) {
      const event = readEvent(frame)
      const type = asString(event.type) ?? ''
      if (type === 'response.created') isResponseOpen = true
      const output = readOutput(type, event, session.outputByteRate)
      if (output) addPending(output)
      else if (type === 'session.created' || type === 'session.updated') onSession(asObject(event.session))
      else if (type === 'response.done') onResponseDone(asObject(event.response))
      else if (type === TRANSCRIBED) onTranscription(event)
    },
    usage: () => transcriptions.addTo(addUsage(finished, pendingUsage())),
    isResponding,
    rejectedUsage: () => rejectedUsage,
    servedModel: () => session.servedModel,
    hasOpenResponse: () => isResponseOpen || isResponding(),
    usageWithOpenResponse: () => transcriptions.addTo(addUsage(finished, openUsage())),
    isEstimated: () => isEstimated || isResponding(),
  }
}

/** Undefined for an event without output. */
function readOutput(type: string, { delta }: JsonObject, bytesPerSecond: number): Partial<Usage> | undefined {
  if (/^response\.(output_)?audio\.delta$/.test(type))
    return { audioOutput: audioTokens(delta, bytesPerSecond, OUTPUT_TOKENS_PER_MINUTE) }
  return /^response\..*\.delta$/.test(type)
    ? { output: estimateTextTokens(asString(delta) ?? '') }
    : undefined
}

/** Counts what is transcribed by the model that the session names. */
function createTranscriptionMeter() {
  let model: string | undefined
  const byModel = new Map<string, Usage>()
  return {
    /** Older sessions name it at the top level, newer ones inside `audio`. */
    onSession({ input_audio_transcription, audio }: JsonObject): void {
      const named = asObject(input_audio_transcription ?? asObject(asObject(audio).input).transcription).model
      model = asString(named) ?? model
    },
    /** False while no model is known. */
    add(usage: Usage): boolean {
      if (model === undefined) return false
      const before = byModel.get(model) ?? NO_USAGE
      const seconds = (before.seconds ?? 0) + (usage.seconds ?? 0)
      byModel.set(model, { ...addUsage(before, usage), ...(seconds > 0 && { seconds }) })
      return true
    },
    addTo(usage: Usage): Usage {
      if (byModel.size === 0) return usage
      return {
        ...usage,
        otherModels: [...byModel].map(([name, used]) => ({ model: name, usage: toUsed(used) })),
      }
    },
  }
}

const toUsed = ({ input, audioInput, output, seconds }: Usage): ModelUsage['usage'] => ({
  input,
  audioInput,
  output,
  ...(seconds !== undefined && { seconds }),
})

/** Without the name of the model its audio has no price, so it is charged as text. */
const audioAsText = ({ input, audioInput, ...usage }: Usage): Usage => ({
  ...usage,
  input: input + audioInput,
  audioInput: 0,
})

const estimateTranscript = ({ transcript }: JsonObject): Usage => ({
  ...NO_USAGE,
  output: estimateTextTokens(asString(transcript) ?? ''),
})

const readEvent = (frame: Frame): JsonObject => (typeof frame === 'string' ? asObject(parseJson(frame)) : {})

function readRealtimeUsage(json: unknown): Usage | undefined {
  if (!isObject(json)) return undefined
  return usageFromTotals({
    prompt: asCount(json.input_tokens),
    ...readInputParts(asObject(json.input_token_details)),
    completion: asCount(json.output_tokens),
    audioOutput: asCount(asObject(json.output_token_details).audio_tokens),
  })
}

function audioTokens(base64: unknown, bytesPerSecond: number, tokensPerMinute: number): number {
  const bytes = (asString(base64) ?? '').length * BYTES_PER_BASE64_CHAR
  return Math.ceil((bytes / bytesPerSecond / 60) * tokensPerMinute)
}

/** The instructions and tools of a session or of one response. */
function estimateInstructions(json: unknown): number {
  const { instructions, tools } = asObject(json)
  const toolsText = asArray(tools).length > 0 ? JSON.stringify(tools) : ''
  return estimateTextTokens((asString(instructions) ?? '') + toolsText)
}

const estimateItemText = (item: unknown): number =>
  asArray(asObject(item).content).reduce<number>(
    (sum, part) => sum + estimateTextTokens(asString(asObject(part).text) ?? ''),
    0,
  )

/** Older sessions have the formats at the top level, newer ones inside `audio`. */
/** `servedModel`: the one that earlier events of the session named. */
function readSession(session: JsonObject, servedModel?: string) {
  const { input_audio_format, output_audio_format, audio } = session
  const { input, output } = asObject(audio)
  return {
    servedModel: readServedModel(session) ?? servedModel,
    instructionTokens: estimateInstructions(session),
    inputByteRate: byteRateOf(input_audio_format ?? asObject(asObject(input).format).type),
    outputByteRate: byteRateOf(output_audio_format ?? asObject(asObject(output).format).type),
  }
}

const byteRateOf = (format: unknown): number =>
  /g711|pcmu|pcma/.test(asString(format) ?? '') ? G711_BYTES_PER_SECOND : PCM_BYTES_PER_SECOND

const addUsage = (a: Usage, b: Usage): Usage => ({
  ...mapBuckets(bucket => a[bucket] + b[bucket]),
  images: a.images + b.images,
  webSearches: a.webSearches + b.webSearches,
})
