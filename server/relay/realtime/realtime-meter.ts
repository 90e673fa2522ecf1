import { NO_USAGE, plausibleUsage, type Usage } from '../../core/usage.ts'
import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import { estimateTextTokens } from '../../provider-kit/estimate-tokens.ts'
import { asArray, asCount, asObject, asString, isObject, parseJson } from '../../provider-kit/json.ts'
import { readSpokenUsage } from '../../provider-kit/openai-compatible/media.ts'
import { usageFromTotals } from '../../provider-kit/usage-buckets.ts'
import type { WebSocketFrame } from '../request/client-connection.ts'

/** OpenAI asks this much for a minute of sound, in tokens. Source: platform.openai.com/docs/guides/realtime-costs */
const HEARD_TOKENS_PER_MINUTE = 100 / 0.06
const SPOKEN_TOKENS_PER_MINUTE = 200 / 0.24
/** 24,000 samples of two bytes. */
const PCM_BYTES_PER_SECOND = 48_000
/** Telephone sound: 8,000 samples of one byte. */
const G711_BYTES_PER_SECOND = 8_000
const BYTES_PER_BASE64_CHAR = 3 / 4

/** Counts what a conversation used: by the vendor's figures, and by what was said where it gives none. */
export interface RealtimeMeter {
  fromClient(frame: WebSocketFrame): void
  fromUpstream(frame: WebSocketFrame): void
  /** What was only heard costs nothing until there is an answer to it. */
  usage(): Usage
  /** An answer is under way, of which the vendor has said no figures yet. */
  isAnswering(): boolean
  /** Some of the figures are not the vendor's. */
  isEstimated(): boolean
}

export function createRealtimeMeter(): RealtimeMeter {
  let counted = NO_USAGE
  let sinceThen = NO_USAGE
  let isEstimated = false
  let instructed = 0
  let rates = { heard: PCM_BYTES_PER_SECOND, spoken: PCM_BYTES_PER_SECOND }
  const add = (more: Partial<Usage>): void => {
    sinceThen = plus(sinceThen, { ...NO_USAGE, ...more })
  }

  const isAnswering = (): boolean => sinceThen.output + sinceThen.audioOutput > 0
  const open = (): Usage => (isAnswering() ? { ...sinceThen, input: sinceThen.input + instructed } : NO_USAGE)

  const learnSession = (session: JsonObject): void => {
    rates = ratesOf(session)
    instructed = tokensOfInstructions(session)
  }

  const finish = (response: JsonObject): void => {
    const usage = plausibleUsage(readRealtimeUsage(response.usage))
    isEstimated ||= !usage && isAnswering()
    counted = plus(counted, usage ?? open())
    sinceThen = NO_USAGE
  }

  const note = (written: JsonObject): void => {
    const usage = plausibleUsage(readSpokenUsage(written))
    isEstimated ||= !usage
    counted = plus(counted, usage ? asText(usage) : wordsOf(written))
  }

  return {
    fromClient(frame) {
      const event = readEvent(frame)
      if (event.type === 'input_audio_buffer.append')
        add({ audioInput: tokensOf(event.audio, rates.heard, HEARD_TOKENS_PER_MINUTE) })
      else if (event.type === 'conversation.item.create') add({ input: textTokensIn(event.item) })
      else if (event.type === 'response.create') add({ input: tokensOfInstructions(event.response) })
    },
    fromUpstream(frame) {
      const event = readEvent(frame)
      const type = asString(event.type) ?? ''
      const said = saidIn(type, event, rates.spoken)
      if (said) add(said)
      else if (type === 'session.created' || type === 'session.updated') learnSession(asObject(event.session))
      else if (type === 'response.done') finish(asObject(event.response))
      else if (type === WRITTEN_DOWN) note(event)
    },
    usage: () => plus(counted, open()),
    isAnswering,
    isEstimated: () => isEstimated || isAnswering(),
  }
}

/** Undefined for an event that brings nothing of an answer. */
function saidIn(type: string, { delta }: JsonObject, bytesPerSecond: number): Partial<Usage> | undefined {
  if (/^response\.(output_)?audio\.delta$/.test(type))
    return { audioOutput: tokensOf(delta, bytesPerSecond, SPOKEN_TOKENS_PER_MINUTE) }
  return /^response\..*\.delta$/.test(type)
    ? { output: estimateTextTokens(asString(delta) ?? '') }
    : undefined
}

/** What was heard, in words. */
const WRITTEN_DOWN = 'conversation.item.input_audio_transcription.completed'

/** Another model than that of the answers writes down what was heard, so that its sound has not their price of sound. */
const asText = ({ input, audioInput, ...usage }: Usage): Usage => ({
  ...usage,
  input: input + audioInput,
  audioInput: 0,
})

const wordsOf = ({ transcript }: JsonObject): Usage => ({
  ...NO_USAGE,
  output: estimateTextTokens(asString(transcript) ?? ''),
})

const readEvent = (frame: WebSocketFrame): JsonObject =>
  typeof frame === 'string' ? asObject(parseJson(frame)) : {}

/** Cached sound is counted as cached, and not again as sound. */
function readRealtimeUsage(json: unknown): Usage | undefined {
  if (!isObject(json)) return undefined
  const sent = asObject(json.input_token_details)
  const cachedSound = asCount(asObject(sent.cached_tokens_details).audio_tokens)
  return usageFromTotals({
    prompt: asCount(json.input_tokens),
    cachedInput: asCount(sent.cached_tokens),
    audioInput: Math.max(asCount(sent.audio_tokens) - cachedSound, 0),
    completion: asCount(json.output_tokens),
    audioOutput: asCount(asObject(json.output_token_details).audio_tokens),
  })
}

function tokensOf(base64: unknown, bytesPerSecond: number, tokensPerMinute: number): number {
  const bytes = (asString(base64) ?? '').length * BYTES_PER_BASE64_CHAR
  return Math.ceil((bytes / bytesPerSecond / 60) * tokensPerMinute)
}

/** What a session, or one answer, is told beside the conversation. */
function tokensOfInstructions(told: unknown): number {
  const { instructions, tools } = asObject(told)
  const toolsText = asArray(tools).length > 0 ? JSON.stringify(tools) : ''
  return estimateTextTokens((asString(instructions) ?? '') + toolsText)
}

const textTokensIn = (item: unknown): number =>
  asArray(asObject(item).content).reduce<number>(
    (sum, part) => sum + estimateTextTokens(asString(asObject(part).text) ?? ''),
    0,
  )

/** Older sessions name the formats flat, newer ones inside `audio`. */
function ratesOf({ input_audio_format, output_audio_format, audio }: JsonObject) {
  const { input, output } = asObject(audio)
  return {
    heard: rateOf(input_audio_format ?? asObject(asObject(input).format).type),
    spoken: rateOf(output_audio_format ?? asObject(asObject(output).format).type),
  }
}

const rateOf = (format: unknown): number =>
  /g711|pcmu|pcma/.test(asString(format) ?? '') ? G711_BYTES_PER_SECOND : PCM_BYTES_PER_SECOND

const plus = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  cachedInput: a.cachedInput + b.cachedInput,
  cacheWrite: a.cacheWrite + b.cacheWrite,
  cacheWriteHour: a.cacheWriteHour + b.cacheWriteHour,
  audioInput: a.audioInput + b.audioInput,
  imageInput: a.imageInput + b.imageInput,
  output: a.output + b.output,
  reasoning: a.reasoning + b.reasoning,
  audioOutput: a.audioOutput + b.audioOutput,
  images: a.images + b.images,
})
