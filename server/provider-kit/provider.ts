import type { ChatBody, ChatChunk, ChatReply, JsonObject } from './chat.ts'
import type { EmbeddingsBody, EmbeddingsReply } from './embeddings.ts'
import type { ChannelView, Credential, DialectName, Exchange, ProviderIo } from './exchange.ts'
import type { ImageEditsBody, ImagesBody, ImagesReply } from './images.ts'
import type { ModerationBody, ModerationReply } from './moderation.ts'
import type { RerankBody, RerankReply } from './rerank.ts'
import type { SpeechBody, SpeechReply } from './speech.ts'
import type { TaskExchange } from './task.ts'
import type { TranscriptionBody, TranscriptionReply } from './transcription.ts'

export type ChatExchange = Exchange<ChatBody, ChatReply, ChatChunk>
export type EmbeddingsExchange = Exchange<EmbeddingsBody, EmbeddingsReply>
export type ImagesExchange = Exchange<ImagesBody, ImagesReply, never>
export type ImageEditsExchange = Exchange<ImageEditsBody, ImagesReply, never>
export type SpeechExchange = Exchange<SpeechBody, SpeechReply, never>
export type TranscriptionExchange = Exchange<TranscriptionBody, TranscriptionReply, never>
export type RerankExchange = Exchange<RerankBody, RerankReply>
/** Only says where the socket is opened; a plain answer in its place is a failure. */
export type RealtimeExchange = Exchange<JsonObject, never>
export type ModerationExchange = Exchange<ModerationBody, ModerationReply>
/** The body is the client's own JSON in the named dialect. Answers are read, and their bytes pass. */
export interface NativeExchange extends Exchange<JsonObject, ChatReply, ChatChunk> {
  /** Absent: every model of the vendor is spoken to in this dialect. */
  serves?(model: string): boolean
}
/** Asks how many tokens a body of the named dialect has. Costs nothing. */
export type TokenCountExchange = Exchange<JsonObject, number>
/** `body` is unused; the reply is the names. */
export type ModelListExchange = Exchange<undefined, readonly string[]>
/** What is left on the vendor's account, in the vendor's currency. */
export interface Balance {
  readonly amount: number
  /** ISO 4217, e.g. `USD`. */
  readonly currency: string
}

/** A vendor: data and pure functions. Presence is capability: what is absent the vendor cannot do. */
export interface Provider {
  /** On the wire and stored. Never reused. */
  readonly type: number
  readonly name: string
  /** For readers of Chinese. Absent: the same name. */
  readonly nameZh?: string
  /** Without a trailing slash. Empty: the operator must give one. */
  readonly baseUrl: string
  /** Offered when a channel of this type is created. */
  readonly models: readonly string[]
  /** The `owned_by` of this vendor's models in the model list. Absent: the name in lower case. */
  readonly ownedBy?: string
  /** The vendor's `gen_ai.provider.name` in OpenTelemetry's conventions. Absent: the name in lower case. */
  readonly genAiName?: string
  /** What the key looks like when it is more than one plain secret, e.g. `APIKey|SecretKey`. */
  readonly keyHint?: string
  readonly form?: ChannelForm
  readonly chat?: ChatExchange
  readonly embeddings?: EmbeddingsExchange
  readonly images?: ImagesExchange
  readonly imageEdits?: ImageEditsExchange
  readonly speech?: SpeechExchange
  readonly transcription?: TranscriptionExchange
  /** Spoken words of any language to English text. */
  readonly translation?: TranscriptionExchange
  readonly rerank?: RerankExchange
  readonly moderation?: ModerationExchange
  readonly realtime?: RealtimeExchange
  /** Texts that a model goes on with. Vendors and models without are asked through chat. */
  readonly completions?: NativeExchange
  readonly native?: Readonly<Partial<Record<DialectName, NativeExchange>>>
  /** Work that is taken now and finishes minutes later: drawing, music. */
  readonly task?: TaskExchange
  readonly tokenCount?: Readonly<Partial<Record<DialectName, TokenCountExchange>>>
  readonly listModels?: ModelListExchange
  /** Asks the vendor, in as many calls as it takes. Throws a GatewayError `upstream_failed` when it does not say. */
  readonly balance?: (channel: ChannelView, io: ProviderIo) => Promise<Balance>
  /** For vendors that trade the key for a short-lived one. Kept until it expires. */
  readonly credential?: (channel: ChannelView, io: ProviderIo) => Promise<Credential>
}

type Text = { readonly zh: string; readonly en: string }

/** What the channel form shows for this vendor beyond the common fields. */
export interface ChannelForm {
  readonly notice?: Text
  /** `required`: the vendor has no address of its own; `hidden`: its address is fixed. Absent: optional. */
  readonly baseUrl?: 'required' | 'hidden'
  readonly baseUrlLabel?: Text
  /** `json`: the key is a JSON document over several lines. */
  readonly key?: 'text' | 'json'
  /** The meaning of the field `other`. */
  readonly other?: {
    readonly label: Text
    readonly placeholder?: string
    readonly defaultValue?: string
    readonly isRequired?: boolean
  }
  readonly hasOrganization?: boolean
}

/** Fixes the type while keeping what is present exact. Throws for a base URL that ends in a slash. */
export function defineProvider(provider: Provider): Provider {
  if (provider.baseUrl.endsWith('/'))
    throw new Error(`${provider.name}: the base URL must not end in a slash`)
  return provider
}
