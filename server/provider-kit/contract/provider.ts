import type {
  ChannelView,
  ChatAdapter,
  Credential,
  DialectName,
  EmbeddingsAdapter,
  ImageEditsAdapter,
  ImagesAdapter,
  ImageVariationsAdapter,
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

/** The remaining balance of the provider account, in the provider's currency. */
export interface AccountBalance {
  readonly amount: number
  /** ISO 4217, e.g. `USD`. */
  readonly currency: string
}

/** A voice for speech. Clients send its `id`. */
export interface Voice {
  readonly id: string
  readonly name: string
}

/** `model` is the provider's own name. Throws a GatewayError `upstream_failed` when the provider does not tell. */
export type ListVoices = (
  call: { readonly channel: ChannelView; readonly model: string },
  io: ProviderIo,
) => Promise<readonly Voice[]>

/**
 * A provider: data and pure functions. Presence is capability: an absent member means that the provider lacks the
 * feature.
 */
export interface Provider {
  /** Stored in the database and used in the API. Never reuse a number. */
  readonly type: number
  readonly name: string
  /** The name in Chinese; `name` by default. */
  readonly nameZh?: string
  /** Without a trailing slash. Empty where the operator must provide one. */
  readonly baseUrl: string
  /** The provider's name in the catalogue, whose current models a new channel begins with instead of `models`. */
  readonly catalogue?: string
  /** The models that this provider is known to serve, older ones included. */
  readonly models: readonly string[]
  /** Where lists of providers show it: among the first, or last because the provider closed it. */
  readonly popularity?: 'popular' | 'discontinued'
  /** The `owned_by` of this provider's models in the model list; the name in lower case by default. */
  readonly ownedBy?: string
  /** The provider's `gen_ai.provider.name` in OpenTelemetry's conventions; the name in lower case by default. */
  readonly genAiName?: string
  /** Accounts give models names of their own: deployments, endpoints, applications. */
  readonly hasDeployments?: true
  /** The format of the key where it is more than one plain secret, e.g. `APIKey|SecretKey`. */
  readonly keyHint?: string
  /** Matches keys that no other provider issues. A key that is not surely a provider's is never sent to it unasked. */
  readonly keyPattern?: RegExp
  readonly form?: ChannelForm
  readonly chat?: ChatAdapter
  readonly embeddings?: EmbeddingsAdapter
  readonly images?: ImagesAdapter
  readonly imageEdits?: ImageEditsAdapter
  readonly imageVariations?: ImageVariationsAdapter
  readonly speech?: SpeechAdapter
  /** The voices of a speech model, without the account's own ones. */
  readonly voices?: ListVoices
  readonly transcription?: TranscriptionAdapter
  /** Speech in any language to English text. */
  readonly translation?: TranscriptionAdapter
  readonly rerank?: RerankAdapter
  readonly moderation?: ModerationAdapter
  readonly realtime?: RealtimeAdapter
  /** Text completions. Providers and models without it are served through chat. */
  readonly completions?: NativeAdapter
  readonly native?: Readonly<Partial<Record<DialectName, NativeAdapter>>>
  /** Asynchronous jobs that finish minutes later: drawing, music. */
  readonly task?: TaskAdapter
  readonly tokenCount?: Readonly<Partial<Record<DialectName, TokenCountAdapter>>>
  readonly listModels?: ModelListAdapter
  /**
   * Requests the balance, in as many calls as needed. Throws a GatewayError `upstream_failed` when the provider does
   * not report it.
   */
  readonly balance?: (channel: ChannelView, io: ProviderIo) => Promise<AccountBalance>
  /** Trades the key for a short-lived credential, which is cached until it expires. */
  readonly credential?: (channel: ChannelView, io: ProviderIo) => Promise<Credential>
}

type Text = { readonly zh: string; readonly en: string }

/** The provider-specific part of the channel form. */
export interface ChannelForm {
  readonly notice?: Text
  /** `required`: the provider has no default address; `hidden`: its address is fixed. Optional by default. */
  readonly baseUrl?: 'required' | 'hidden'
  readonly baseUrlLabel?: Text
  /** `json`: the key is a multi-line JSON document. */
  readonly key?: 'text' | 'json'
  /** Describes the field `other`. */
  readonly other?: {
    readonly label: Text
    readonly placeholder?: string
    readonly defaultValue?: string
    readonly isRequired?: boolean
  }
  readonly hasOrganization?: boolean
}

/** Checks a manifest and returns it. Throws an Error for a base URL that ends in a slash. */
export function defineProvider(provider: Provider): Provider {
  if (provider.baseUrl.endsWith('/'))
    throw new Error(`${provider.name}: the base URL must not end in a slash`)
  return provider
}
