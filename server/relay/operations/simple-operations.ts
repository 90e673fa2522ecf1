import { GatewayError } from '../../core/errors.ts'
import { findModel } from '../../pricing/catalogue.ts'
import type { JsonDialect, ParsedBody, UrlParams } from '../../provider-kit/contract/client-dialect.ts'
import {
  documentText,
  type EmbeddingsBody,
  type EmbeddingsReply,
  type ModerationBody,
  type ModerationReply,
  type RerankBody,
  type RerankReply,
  type SpeechBody,
  type SpeechReply,
  type TranscriptionBody,
} from '../../provider-kit/contract/operations.ts'
import { estimateEmbeddingsTokens, estimateTextTokens } from '../../provider-kit/estimate-tokens.ts'
import { asString, type JsonObject } from '../../provider-kit/json.ts'
import { audioDurationTokens, audioSeconds } from '../../provider-kit/media/duration.ts'
import { withBetaHeader } from '../../provider-kit/openai-realtime/realtime.ts'
import type { ModelOperation, OperationDialect, ParsedRequest } from '../types.ts'

export const embeddings: ModelOperation = {
  name: 'embeddings',
  findDialect: client => jsonDialect(client.embeddings),
  findAdapter: provider => provider.embeddings,
  inputTokens: (body: EmbeddingsBody) => estimateEmbeddingsTokens(body),
  outputTokensMax: () => 0,
  outputTokens: () => 0,
  hasOutput: (reply: EmbeddingsReply) => reply.vectors.length > 0,
}

export const rerank: ModelOperation = {
  name: 'rerank',
  findDialect: client => jsonDialect(client.rerank),
  findAdapter: provider => provider.rerank,
  inputTokens({ query, documents }: RerankBody) {
    const texts = [query, ...documents.map(documentText)]
    return texts.reduce((sum, text) => sum + estimateTextTokens(text), 0)
  },
  outputTokens: () => 0,
  hasOutput: (reply: RerankReply) => reply.results.length > 0,
}

const TOKENS_PER_IMAGE = 765

/** Undefined for a part that is an image. */
const moderatedTexts = ({ input }: ModerationBody): readonly (string | undefined)[] =>
  typeof input === 'string'
    ? [input]
    : input.map(part => (typeof part === 'string' ? part : asString(part.text)))

export const moderation: ModelOperation = {
  name: 'moderation',
  findDialect: client => jsonDialect(client.moderation),
  findAdapter: provider => provider.moderation,
  inputTokens: (body: ModerationBody) =>
    moderatedTexts(body).reduce<number>(
      (sum, text) => sum + (text === undefined ? TOKENS_PER_IMAGE : estimateTextTokens(text)),
      0,
    ),
  outputTokens: () => 0,
  hasOutput: (reply: ModerationReply) => reply.results.length > 0,
}

/** Whether the provider charges for characters instead of tokens. */
const isPricedByCharacter = (model: string): boolean =>
  findModel(model)?.prices.characters !== undefined || model.startsWith('tts')

/** Text to speech. */
export const speech: ModelOperation = {
  name: 'speech',
  findDialect: client => jsonDialect(client.speech),
  findAdapter: provider => provider.speech,
  inputTokens: ({ model, input }: SpeechBody) =>
    isPricedByCharacter(model) ? [...input].length : estimateTextTokens(input),
  outputTokens: () => 0,
  hasOutput: (reply: SpeechReply) => reply.audio.byteLength > 0,
}

const audioTokens = ({ file }: TranscriptionBody): number => audioDurationTokens(audioSeconds(file.bytes))

/** Speech to text in the spoken language. */
export const transcription: ModelOperation = {
  name: 'transcription',
  hasFormBody: true,
  findDialect: client => jsonDialect(client.transcription),
  findAdapter: provider => provider.transcription,
  inputTokens: audioTokens,
  inputAudioTokens: audioTokens,
  // Nobody speaks more words than this in the time.
  outputTokensMax: inputTokens => inputTokens,
  outputTokens: () => 0,
  hasOutput: () => true,
}

/** Speech to English text. */
export const translation: ModelOperation = {
  ...transcription,
  name: 'translation',
  findAdapter: provider => provider.translation,
}

/** A response repeats the conversation as its input. Source: platform.openai.com/docs/models/gpt-realtime */
const REALTIME_CONTEXT_TOKENS = 32_000

/** OpenAI's realtime conversations over a websocket. Frames are passed through and read for their usage. */
export const realtime: ModelOperation = {
  name: 'realtime',
  isConversation: true,
  modelInQuery: query => query.get('model') ?? query.get('deployment') ?? undefined,
  readHeaders: withBetaHeader,
  findDialect: client => (client.name === 'openai' ? { parse: parseUrlParams, writeReply } : undefined),
  findAdapter: provider => provider.realtime,
  findNativeAdapter: (provider, client) => (client === 'openai' ? provider.realtime : undefined),
  inputTokens: () => 0,
  contextTokens: REALTIME_CONTEXT_TOKENS,
  outputTokens: () => 0,
  hasOutput: () => true,
}

/** Never called, since a conversation has no JSON reply. */
function writeReply(): never {
  throw new GatewayError('api_not_implemented', {
    zh: 'realtime 需要 WebSocket 连接',
    en: 'realtime requires a WebSocket connection',
  })
}

function parseUrlParams(_: unknown, { model }: UrlParams = {}) {
  if (!model)
    throw new GatewayError('model_required', {
      zh: 'URL 中没有 model，需要模型名称',
      en: 'model: found nothing in the URL, needed the name of a model',
    })
  return { body: {}, model, isStream: true, wantsUsage: false }
}

/** The part of a client dialect for an operation that is never streamed. */
export const jsonDialect = <Body extends JsonObject, Reply>(
  dialect: JsonDialect<Body, Reply> | undefined,
): OperationDialect | undefined =>
  dialect && {
    parse: dialect.parse,
    writeReply: (reply: Reply, usage, request: ParsedRequest & ParsedBody<Body>) =>
      dialect.writeReply(reply, usage, request),
  }
