import type { MessageCreateParamsBase as BetaMessageParams } from '@anthropic-ai/sdk/resources/beta/messages/messages'
import type {
  MessageCountTokensParams,
  MessageCreateParamsBase,
} from '@anthropic-ai/sdk/resources/messages/messages'
import type { Interactions } from '@google/genai'
import type { SpeechCreateParams } from 'openai/resources/audio/speech'
import type { TranscriptionCreateParamsBase } from 'openai/resources/audio/transcriptions'
import type { TranslationCreateParams } from 'openai/resources/audio/translations'
import type { ChatCompletionCreateParamsBase } from 'openai/resources/chat/completions/completions'
import type { CompletionCreateParamsBase } from 'openai/resources/completions'
import type { EmbeddingCreateParams } from 'openai/resources/embeddings'
import type {
  ImageCreateVariationParams,
  ImageEditParamsBase,
  ImageGenerateParamsBase,
} from 'openai/resources/images'
import type { ModerationCreateParams } from 'openai/resources/moderations'
import type { RealtimeSessionCreateRequest } from 'openai/resources/realtime/realtime'
import type { InputTokenCountParams } from 'openai/resources/responses/input-tokens'
import type { ResponseCompactParams, ResponseCreateParamsBase } from 'openai/resources/responses/responses'

/** What providers' own SDKs say that bodies of requests consist of. */
export interface RequestTypes {
  readonly chat: ChatCompletionCreateParamsBase
  readonly completions: CompletionCreateParamsBase
  readonly responses: ResponseCreateParamsBase
  readonly compaction: ResponseCompactParams
  readonly inputTokens: InputTokenCountParams
  readonly embeddings: EmbeddingCreateParams
  readonly images: ImageGenerateParamsBase
  readonly imageEdits: ImageEditParamsBase
  readonly imageVariations: ImageCreateVariationParams
  readonly speech: SpeechCreateParams
  readonly transcription: TranscriptionCreateParamsBase
  readonly translation: TranslationCreateParams
  readonly moderation: ModerationCreateParams
  readonly session: RealtimeSessionCreateRequest
  readonly messages: MessageCreateParamsBase
  readonly betaMessages: BetaMessageParams
  readonly messageTokens: MessageCountTokensParams
  readonly interactions: Interactions.CreateModelInteractionParamsNonStreaming
}
