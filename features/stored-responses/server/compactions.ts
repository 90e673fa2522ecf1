import type { Secrets } from '#server/core/crypto.ts'
import { GatewayError } from '#server/core/errors.ts'
import { asObject, asString, type JsonObject, parseJson } from '#server/provider-kit/json.ts'

/** Tells our compactions from those of providers. */
const PREFIX = 'gateway.'

/** Encrypts a summary for one user. */
export const encryptSummary = (
  summary: string,
  userId: number,
  { encrypt }: Pick<Secrets, 'encrypt'>,
): string => PREFIX + encrypt(JSON.stringify({ userId, summary }))

/**
 * Our latest compaction as the summary that it stands for, without the items that it replaces. Throws GatewayError
 * `invalid_encrypted_content` for one that was changed or is another user's.
 */
export function openCompactions(
  items: readonly JsonObject[],
  userId: number,
  secrets: Pick<Secrets, 'decrypt'>,
): readonly JsonObject[] {
  const latest = items.findLastIndex(isOwn)
  const item = items[latest]
  if (!item) return items
  const summary = readSummary(asString(item.encrypted_content) ?? '', userId, secrets)
  const content = `Summary of the conversation so far:\n\n${summary}`
  return [{ type: 'message', role: 'user', content }, ...items.slice(latest + 1)]
}

const isOwn = ({ type, encrypted_content: content }: JsonObject): boolean =>
  type === 'compaction' && typeof content === 'string' && content.startsWith(PREFIX)

function readSummary(content: string, userId: number, { decrypt }: Pick<Secrets, 'decrypt'>): string {
  const json = asObject(parseJson(tryDecrypt(content.slice(PREFIX.length), decrypt)))
  if (json.userId !== userId) throw invalidContent()
  return asString(json.summary) ?? ''
}

function tryDecrypt(content: string, decrypt: Secrets['decrypt']): string {
  try {
    return decrypt(content)
  } catch (cause) {
    throw invalidContent(cause)
  }
}

const invalidContent = (cause?: unknown): GatewayError =>
  new GatewayError(
    'invalid_encrypted_content',
    {
      zh: '加密内容无法验证，请去掉后重试',
      en: 'the encrypted content could not be verified; leave it out and try again',
    },
    { cause },
  )
