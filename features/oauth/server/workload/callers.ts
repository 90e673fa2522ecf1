import { withStorageTimeout } from '#server/core/async.ts'
import { nowMs } from '#server/core/clock.ts'
import { sha256 } from '#server/core/crypto.ts'
import { GatewayError } from '#server/core/errors.ts'
import { type CallerRow, findCallersById } from '#server/db/accounts/tokens.ts'
import type { Services } from '#server/feature.ts'
import { options, type WorkloadRule } from '../../options.ts'
import type { WorkloadVerifier } from './verifier.ts'

/** The signature of an unsecured one is empty: it is refused as a token that is not signed. */
const JWT = /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/
const JWT_CHARS_MAX = 16_384
const KEPT_MAX = 10_000

interface Kept {
  readonly tokenId: number
  readonly untilMs: number
  /** Those that admitted it. When they change, it is verified anew. */
  readonly rules: readonly WorkloadRule[]
}

type WorkloadDeps = Pick<Services, 'db' | 'settings' | 'send' | 'safeFetch'>

/**
 * Finds the token that a rule gives to an identity token. Undefined at once for keys of another form, and without rules. What
 * was verified is kept by its SHA-256 until it expires.
 */
export function createWorkloadCallers(
  deps: WorkloadDeps,
): (key: string) => Promise<CallerRow | undefined> | undefined {
  const verified = new Map<string, Kept>()
  let loading: Promise<WorkloadVerifier> | undefined
  // The library is loaded with the first identity token: most gateways get none.
  const load = () => {
    loading ??= import('./verifier.ts').then(({ WorkloadVerifier }) => new WorkloadVerifier(deps))
    return loading
  }
  const verify = async (key: string, digest: string, rules: readonly WorkloadRule[]): Promise<number> => {
    const { tokenId, untilMs } = await (await load()).verify(key, rules)
    const [oldest] = verified.keys()
    if (verified.size >= KEPT_MAX && oldest !== undefined) verified.delete(oldest)
    verified.set(digest, { tokenId, untilMs, rules })
    return tokenId
  }
  const find = async (key: string, rules: readonly WorkloadRule[]): Promise<CallerRow> => {
    const digest = sha256(key)
    const known = verified.get(digest)
    const isCurrent = known && known.rules === rules && known.untilMs > nowMs()
    const tokenId = isCurrent ? known.tokenId : await verify(key, digest, rules)
    const row = (await withStorageTimeout(findCallersById(deps.db, [tokenId]))).get(tokenId)
    if (!row)
      throw new GatewayError('invalid_api_key', {
        zh: '身份令牌对应的令牌已不存在',
        en: 'the token that the rule names for this identity token no longer exists',
      })
    return row
  }
  return key => {
    if (!JWT.test(key) || key.length > JWT_CHARS_MAX) return undefined
    const { WorkloadIdentityRules: rules } = deps.settings.of(options)
    return rules.length === 0 ? undefined : find(key, rules)
  }
}
