/** Names whose id is not `anthropic.NAME-v1:0`. Source: docs.aws.amazon.com/bedrock/latest/userguide/models-supported.html */
const ID_OF: Readonly<Record<string, string>> = {
  'claude-instant-1.2': 'anthropic.claude-instant-v1',
  'claude-2.0': 'anthropic.claude-v2',
  'claude-2.1': 'anthropic.claude-v2:1',
  'claude-3-5-sonnet-20241022': 'anthropic.claude-3-5-sonnet-20241022-v2:0',
  'claude-opus-4-6': 'anthropic.claude-opus-4-6-v1',
  'claude-sonnet-4-6': 'anthropic.claude-sonnet-4-6',
}

/** Later models answer only through an inference profile of their part of the world. */
const NEEDS_PROFILE = /^claude-(?:3-7|[a-z]+-\d)/
const HAS_GLOBAL_PROFILE = /^claude-[a-z]+-4-[5-9]/
const PROFILES: readonly (readonly [region: RegExp, profile: string])[] = [
  [/^us-gov-/, 'us-gov.'],
  [/^(?:us|ca)-/, 'us.'],
  [/^eu-/, 'eu.'],
]

/** The id to call. Ids, profiles and ARNs that an operator's mapping gives stay as they are. */
export function toModelId(name: string, region: string): string {
  if (isId(name)) return name
  const id = ID_OF[name] ?? `anthropic.${name}-v1:0`
  if (!NEEDS_PROFILE.test(name)) return id
  const regional = PROFILES.find(([pattern]) => pattern.test(region))?.[1]
  return (regional ?? (HAS_GLOBAL_PROFILE.test(name) ? 'global.' : 'apac.')) + id
}

const isId = (name: string): boolean => /^(?:arn:|(?:[a-z-]+\.)?anthropic\.)/.test(name)

/** Claude's own name in an id, by which its rules are known. */
export const nameOfId = (id: string): string =>
  id.replace(/^.*anthropic\./, '').replace(/-v\d+(?::\d+)?$/, '')
