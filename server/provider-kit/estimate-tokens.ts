import type { AudioDelta, ChatBody, ChatChunk, ChatMessage, ChatReply, ContentPart } from './contract/chat.ts'
import type { UnmappedDelta } from './contract/operation-adapter.ts'
import type { EmbeddingsBody } from './contract/operations.ts'
import { asArray, asObject, asString } from './json.ts'

/*
 * Token counts without a tokenizer, for holds and for responses without usage. They are estimates and are marked as
 * such in receipts. The figures follow OpenAI's published counting where there is one.
 * Source: platform.openai.com/docs/guides/images-vision#calculating-costs, the cookbook on counting tokens
 */
const TOKENS_PER_ASCII_CHAR = 1 / 4
/**
 * Added for each UTF-8 byte beyond one per character: a Chinese character comes to 1 token, a Cyrillic letter to 5/8.
 */
const TOKENS_PER_EXTRA_BYTE = 3 / 8
const TOKENS_PER_MESSAGE = 3
const TOKENS_PER_REPLY_START = 3
const TOKENS_PER_NAME = 1
const TOKENS_PER_TOOL = 8
const TOKENS_PER_TOOL_CALL = 7
const TOKENS_PER_LOW_DETAIL_IMAGE = 85
/** A 1024x1024 image: four tiles of 170 tokens, plus 85. */
const TOKENS_PER_IMAGE = 765
/**
 * This model's tokens cost a thirty-third of the larger model's, but an image costs the same, so it takes more
 * tokens.
 */
const COUNTS_IMAGES_HIGH = /^gpt-4o-mini/
const HIGH_COUNT_FACTOR = 2_833 / TOKENS_PER_LOW_DETAIL_IMAGE
const AUDIO_TOKENS_MIN = 100
const BASE64_CHARS_PER_AUDIO_TOKEN = 2_000
const TOKENS_PER_FILE = 5_000
/** 24,000 samples of two bytes per second; OpenAI counts 200 / 0.24 tokens per minute. */
const BASE64_CHARS_PER_OUTPUT_AUDIO_TOKEN = (48_000 * 60 * (4 / 3)) / (200 / 0.24)
/** For a 1024x1024 image. Source: ai.google.dev/gemini-api/docs/pricing */
const TOKENS_PER_GENERATED_IMAGE = 1_290
/** Shorter than any inline image, longer than most chunks, so that chunks skip the regular expression. */
const INLINE_DATA_CHARS_MIN = 200
/** An image or audio inside response text. */
const INLINE_DATA = /data:(\w+)\/[^,\s]*;base64,([\w+/=]*)/g

type AudioPart = Extract<ContentPart, { readonly type: 'input_audio' }>

/** Unrounded tokens, so that the pieces of a text add up to the whole. */
const textWeight = (text: string): number =>
  text.length * TOKENS_PER_ASCII_CHAR + (Buffer.byteLength(text) - text.length) * TOKENS_PER_EXTRA_BYTE

/** Tokens of a text, rounded up. */
export const estimateTextTokens = (text: string): number => Math.ceil(textWeight(text))

/** Tokens of model output. Inline media counts by its kind, but never for more than its characters. */
function outputTextWeight(text: string): number {
  if (text.length < INLINE_DATA_CHARS_MIN || !text.includes(';base64,')) return textWeight(text)
  let tokens = 0
  const words = text.replace(INLINE_DATA, (_, kind: string, letters: string) => {
    tokens +=
      kind === 'image' ? generatedImageWeight(letters) : letters.length / BASE64_CHARS_PER_OUTPUT_AUDIO_TOKEN
    return ''
  })
  return tokens + textWeight(words)
}

const generatedImageWeight = (letters: string): number =>
  Math.min(textWeight(letters), TOKENS_PER_GENERATED_IMAGE)

/** The tokens of a chat request. */
export function estimatePromptTokens(body: ChatBody): number {
  let tokens = TOKENS_PER_REPLY_START
  for (const message of body.messages) tokens += messageWeight(message, body.model)
  for (const tool of asArray(body.tools)) tokens += toolWeight(tool)
  for (const called of asArray(body.functions)) tokens += toolWeight(called)
  if (body.response_format) tokens += textWeight(JSON.stringify(body.response_format))
  return Math.ceil(tokens)
}

const toolWeight = (tool: unknown): number => TOKENS_PER_TOOL + textWeight(JSON.stringify(tool))

/** The audio share of the prompt tokens. */
export function estimatePromptAudioTokens({ messages }: ChatBody): number {
  let tokens = 0
  for (const { content } of messages)
    if (typeof content === 'object')
      for (const part of content ?? []) if (part.type === 'input_audio') tokens += audioWeight(part)
  return Math.floor(tokens)
}

function messageWeight(message: ChatMessage, model: string): number {
  const name = message.name ? TOKENS_PER_NAME + textWeight(message.name) : 0
  const calls = message.tool_calls ? textWeight(JSON.stringify(message.tool_calls)) : 0
  return (
    TOKENS_PER_MESSAGE +
    contentWeight(message.content, model) +
    name +
    calls +
    textWeight(message.reasoning_content ?? '')
  )
}

function contentWeight(content: ChatMessage['content'], model: string): number {
  if (typeof content === 'string') return textWeight(content)
  let tokens = 0
  for (const part of content ?? []) tokens += partWeight(part, model)
  return tokens
}

function partWeight(part: ContentPart, model: string): number {
  switch (part.type) {
    case 'text':
      return textWeight(part.text)
    case 'image_url':
      return imageWeight(asObject(part.image_url).detail, model)
    case 'input_audio':
      return audioWeight(part)
    default:
      return TOKENS_PER_FILE
  }
}

const audioWeight = ({ input_audio: { data } }: AudioPart): number =>
  Math.max(AUDIO_TOKENS_MIN, data.length / BASE64_CHARS_PER_AUDIO_TOKEN)

const imageWeight = (detail: unknown, model: string): number =>
  (detail === 'low' ? TOKENS_PER_LOW_DETAIL_IMAGE : TOKENS_PER_IMAGE) *
  (COUNTS_IMAGES_HIGH.test(model) ? HIGH_COUNT_FACTOR : 1)

/** Tokens of all inputs of an embeddings request. Token ids count exactly. */
export function estimateEmbeddingsTokens(body: EmbeddingsBody): number {
  const { input } = body
  if (typeof input === 'string') return estimateTextTokens(input)
  let tokens = 0
  for (const item of input) tokens += typeof item === 'string' ? estimateTextTokens(item) : listLength(item)
  return tokens
}

const listLength = (item: number | readonly number[]): number => (typeof item === 'number' ? 1 : item.length)

/** Counts the output tokens of one streamed response. */
export interface OutputMeter {
  add(chunk: ChatChunk | UnmappedDelta): void
  /** Tokens so far, rounded up. */
  tokens(): number
  /** The audio share of them. */
  audioTokens(): number
}

/** Creates a meter for one streamed response. */
export function createOutputMeter(): OutputMeter {
  let weight = 0
  let audioWeightSum = 0
  return {
    add(chunk) {
      weight += chunkWeight(chunk)
      if (chunk.type === 'audio-delta') audioWeightSum += outputAudioWeight(chunk)
    },
    tokens: () => Math.ceil(weight + audioWeightSum),
    audioTokens: () => Math.floor(audioWeightSum),
  }
}

function chunkWeight(chunk: ChatChunk | UnmappedDelta): number {
  switch (chunk.type) {
    case 'text-delta':
      return outputTextWeight(chunk.text)
    case 'reasoning-delta':
    case 'refusal-delta':
    case 'audio-delta':
    case 'tool-arguments-delta':
    case 'unmapped-delta':
      return textWeight(chunk.text)
    case 'tool-call-start':
      return TOKENS_PER_TOOL_CALL + textWeight(chunk.name) + textWeight(chunk.arguments)
    default:
      return 0
  }
}

const outputAudioWeight = ({ audio }: AudioDelta): number =>
  (asString(audio.data) ?? '').length / BASE64_CHARS_PER_OUTPUT_AUDIO_TOKEN

/** Output tokens of a complete response. */
export function estimateReplyTokens(reply: ChatReply): number {
  let tokens = 0
  for (const choice of reply.choices) {
    tokens +=
      outputTextWeight(choice.text) + textWeight(choice.reasoning ?? '') + textWeight(choice.refusal ?? '')
    for (const call of choice.toolCalls ?? [])
      tokens +=
        TOKENS_PER_TOOL_CALL +
        textWeight(asString(call.function.name) ?? '') +
        textWeight(call.function.arguments)
  }
  return Math.ceil(tokens)
}
