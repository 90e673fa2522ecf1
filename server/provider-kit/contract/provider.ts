import type {
  ChannelView,
  ChatAdapter,
  Credential,
  DialectName,
  EmbeddingsAdapter,
  ImageEditsAdapter,
  ImagesAdapter,
  ModelListAdapter,
  ModerationAdapter,
  NativeAdapter,
  ProviderIo,
  RealtimeAdapter,
  RerankAdapter,
  SpeechAdapter,
  TokenCountAdapter,
  TranscriptionAdapter,
} from './operation-adapter.ts'
import type { TaskAdapter } from './task.ts'

/** What is left on the vendor's account, in the vendor's currency. */
export interface AccountBalance {
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
  readonly chat?: ChatAdapter
  readonly embeddings?: EmbeddingsAdapter
  readonly images?: ImagesAdapter
  readonly imageEdits?: ImageEditsAdapter
  readonly speech?: SpeechAdapter
  readonly transcription?: TranscriptionAdapter
  /** Spoken words of any language to English text. */
  readonly translation?: TranscriptionAdapter
  readonly rerank?: RerankAdapter
  readonly moderation?: ModerationAdapter
  readonly realtime?: RealtimeAdapter
  /** Texts that a model goes on with. Vendors and models without are asked through chat. */
  readonly completions?: NativeAdapter
  readonly native?: Readonly<Partial<Record<DialectName, NativeAdapter>>>
  /** Work that is taken now and finishes minutes later: drawing, music. */
  readonly task?: TaskAdapter
  readonly tokenCount?: Readonly<Partial<Record<DialectName, TokenCountAdapter>>>
  readonly listModels?: ModelListAdapter
  /** Asks the vendor, in as many calls as it takes. Throws a GatewayError `upstream_failed` when it does not say. */
  readonly balance?: (channel: ChannelView, io: ProviderIo) => Promise<AccountBalance>
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
