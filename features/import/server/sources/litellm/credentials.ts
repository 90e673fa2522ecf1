import { isObject } from '#server/provider-kit/json.ts'
import { AZURE, BEDROCK, CLOUDFLARE, GEMINI, type ProviderFacts, VERTEX } from './provider-types.ts'

export type Params = Readonly<Record<string, unknown>>

/** A text; empty for anything else. A variable that is not set counts as absent there too. */
export const givenText = (value: unknown): string =>
  typeof value === 'string' && !value.startsWith('os.environ/') ? value : ''

interface Sources {
  readonly facts: ProviderFacts
  /** The first of the variables that is set; empty for none. */
  readonly firstOf: (names: readonly string[]) => string
}

/** The key of a deployment in the form of its channel type; empty when neither it nor a variable has one. */
export function readChannelKey(
  params: Params,
  { facts: { type, keys }, firstOf, region }: Sources & { readonly region: string },
): string {
  if (type === BEDROCK) return readBedrockKey(params, { keys, firstOf, region })
  const { api_key: key, vertex_credentials: credentials } = params
  if (type !== VERTEX) return givenText(key) || firstOf(keys)
  return isObject(credentials) ? JSON.stringify(credentials) : givenText(credentials) || firstOf(keys)
}

const AWS_KEY = ['aws_access_key_id', 'aws_secret_access_key', 'aws_session_token']
const AWS_REGIONS = ['AWS_REGION_NAME', 'AWS_REGION']
/** Where LiteLLM looks when nothing names a region. */
const AWS_REGION_DEFAULT = 'us-west-2'

function readBedrockKey(
  params: Params,
  {
    keys,
    firstOf,
    region,
  }: Pick<ProviderFacts, 'keys'> & Pick<Sources, 'firstOf'> & { readonly region: string },
): string {
  const where = givenText(params.aws_region_name) || region || firstOf(AWS_REGIONS) || AWS_REGION_DEFAULT
  const [id, secret, session] = AWS_KEY.map(name => givenText(params[name]) || firstOf([name.toUpperCase()]))
  if (id && secret) return [id, secret, where, ...(session ? [session] : [])].join('|')
  const bearer = givenText(params.api_key) || firstOf(keys)
  return bearer === '' ? '' : `${bearer}|${where}`
}

/** The version that LiteLLM names where nothing else does. */
const AZURE_VERSION_DEFAULT = '2025-02-01-preview'

interface AddressSource extends Pick<Sources, 'firstOf'>, Pick<ProviderFacts, 'type'> {
  readonly given: string
}

/** What a channel type keeps beside its key: a region, a version or an account. */
export function readOther(params: Params, { type, given, firstOf }: AddressSource): string {
  if (type === VERTEX)
    return givenText(params.vertex_location) || firstOf(['VERTEXAI_LOCATION', 'VERTEX_LOCATION'])
  if (type === AZURE) return readAzureVersion(params, { given, firstOf })
  if (type === GEMINI) return /\/(v1[a-z]*)(\/models|$)/.exec(given)?.[1] ?? ''
  return type === CLOUDFLARE
    ? (/\/accounts\/([^/]+)/.exec(given)?.[1] ?? firstOf(['CLOUDFLARE_ACCOUNT_ID']))
    : ''
}

/** Resources of Azure AI serve all their models below `/openai/v1`. */
const hasVersionOne = (given: string): boolean => /\.services\.ai\.azure\.com|\/openai\/v1$/.test(given)

function readAzureVersion(params: Params, { given, firstOf }: Omit<AddressSource, 'type'>): string {
  if (hasVersionOne(given)) return 'v1'
  const [, inAddress = ''] = /[?&]api-version=([^&]+)/.exec(given) ?? []
  return givenText(params.api_version) || inAddress || firstOf(['AZURE_API_VERSION']) || AZURE_VERSION_DEFAULT
}
