import type { AdapterCall, ChannelView, Credential } from '#server/provider-kit/contract/operation-adapter.ts'
import { asArray, asObject, asString, isObject } from '#server/provider-kit/json.ts'

const SECRET = 'secret-key-of-the-channel'

/** The channel that `fixtures/channel.json` of a provider describes, where a plain key is not enough. */
export interface RecordedChannel {
  readonly channel: ChannelView
  /** Values that may appear in headers only, or sign the request. */
  readonly secrets: readonly string[]
  /** The credential that the key was traded for, where the provider has one. */
  readonly token: string | undefined
  /** A call as the relay makes it, with constant values. */
  callOf<Body>(body: Body, model: string, isStream?: boolean): AdapterCall<Body>
}

/** `json` is undefined where the key is one plain secret. */
export function toRecordedChannel(json: unknown): RecordedChannel {
  const { key = SECRET, secrets = [SECRET], other, baseUrl, credential } = asObject(json)
  const channel: ChannelView = {
    id: 1,
    key: typeof key === 'string' ? key : JSON.stringify(key),
    baseUrl: asString(baseUrl) ?? 'https://provider.example',
    other: asString(other) ?? '',
    organization: '',
    setting: {},
  }
  return {
    channel,
    secrets: asArray(secrets).map(String),
    token: isCredential(credential) ? credential.token : undefined,
    callOf: (body, model, isStream = false) => ({
      channel,
      model,
      body,
      isStream,
      requestId: 'request-1',
      nowSeconds: 1_751_300_000,
      ...(isCredential(credential) && { credential }),
    }),
  }
}

const isCredential = (value: unknown): value is Credential =>
  isObject(value) && typeof value.token === 'string' && typeof value.expiresAt === 'number'
