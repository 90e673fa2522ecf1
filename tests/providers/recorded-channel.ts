import type {
  AdapterCall,
  ChannelView,
  Credential,
} from '../../server/provider-kit/contract/operation-adapter.ts'
import { asArray, asObject, asString, isObject } from '../../server/provider-kit/json.ts'

const SECRET = 'secret-key-of-the-channel'

/** A channel as a vendor's folder describes it in `fixtures/channel.json`, where a plain secret is not enough. */
export interface RecordedChannel {
  readonly channel: ChannelView
  /** What must stand in headers only, or be signed with. */
  readonly secrets: readonly string[]
  /** What the key was traded for, where the vendor trades it. */
  readonly token: string | undefined
  /** A call as the relay makes it, with nothing that changes from run to run. */
  callOf<Body>(body: Body, model: string, isStream?: boolean): AdapterCall<Body>
}

/** `json` undefined: the key is one plain secret. */
export function toRecordedChannel(json: unknown): RecordedChannel {
  const { key = SECRET, secrets = [SECRET], other, baseUrl, credential } = asObject(json)
  const channel: ChannelView = {
    id: 1,
    key: typeof key === 'string' ? key : JSON.stringify(key),
    baseUrl: asString(baseUrl) ?? 'https://vendor.example',
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
