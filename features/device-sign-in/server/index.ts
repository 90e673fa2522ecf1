import { TOKEN_NAME_LENGTH_MAX } from '#contract/entities/token-fields.ts'
import { LOG_TYPE } from '#contract/enums.ts'
import { checkGroup } from '#server/accounts/create-token.ts'
import type { ApiContext } from '#server/api/context.ts'
import { handle } from '#server/api/handle.ts'
import { nowSeconds } from '#server/core/clock.ts'
import type { RateLimit } from '#server/core/rate-limit.ts'
import { deleteTokens } from '#server/db/accounts/tokens.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import { insertEventLog } from '#server/db/logs/log-writes.ts'
import { defineFeature } from '#server/feature.ts'
import * as endpoints from '../contract.ts'
import { deviceSignIns } from '../migrations/0016-device-sign-ins.ts'
import { options } from '../options.ts'
import { createDeviceSignIns, isSettingsPath } from './device-sign-in.ts'
import { deviceError, deviceThrottleError } from './errors.ts'
import { USER_CODE_PURPOSE } from './oauth.ts'
import { type DeviceCodeRow, decideCode, deleteDeviceSignInsOfUser, findPendingCode } from './queries.ts'

const routes = [
  handle(endpoints.findDeviceSignIn, async ({ body: { user_code }, ...context }) =>
    toDeviceSignIn(user_code, await findCode(user_code, context)),
  ),

  handle(endpoints.approveDeviceSignIn, async ({ body: { user_code, name, group }, ...context }) => {
    checkGroup(group, context.settings.current().values, context.caller.group)
    await decide(user_code, { decision: 'approved', token_name: name, token_group: group }, context)
  }),

  handle(endpoints.denyDeviceSignIn, ({ body: { user_code }, ...context }) =>
    decide(user_code, { decision: 'denied', token_name: '', token_group: '' }, context),
  ),
]

const WINDOW_MS = 10 * 60_000
/** Eight of twenty letters, of which few are valid: no share of them can be guessed. Source: RFC 8628, section 5.1. */
const WRONG_CODES: RateLimit = { name: 'wrong device codes', limit: 20, windowMs: WINDOW_MS }

type CodeContext = Pick<
  ApiContext,
  'db' | 'secrets' | 'settings' | 'caller' | 'rateLimiter' | 'requestId' | 'network'
>

/** Finds a pending code, counting it as wrong before it is looked up, so that parallel guesses count too. */
async function findCode(code: string, context: CodeContext): Promise<DeviceCodeRow> {
  const { db, caller, rateLimiter, settings } = context
  if (!settings.current().values.DeviceSignInEnabled) throw deviceError('off')
  const subject = `user ${caller.id}`
  const taken = await rateLimiter.take(WRONG_CODES, subject)
  if (!taken.isAllowed)
    throw deviceThrottleError('too_often', { seconds: Math.ceil(taken.retryAfterMs / 1000) })
  const row = await findPendingCode(db, hashCode(code, context), nowSeconds())
  if (!row) throw deviceError('unknown_code')
  await rateLimiter.putBack(WRONG_CODES, subject, taken)
  return row
}

const hashCode = (code: string, { secrets }: Pick<ApiContext, 'secrets'>): string =>
  secrets.hash(USER_CODE_PURPOSE, code)

const toDeviceSignIn = (code: string, row: DeviceCodeRow): endpoints.DeviceSignIn => ({
  user_code: endpoints.showUserCode(code),
  name: [...(row.client_name || `Claude Code on ${row.address}`)].slice(0, TOKEN_NAME_LENGTH_MAX).join(''),
  address: row.address,
  created_time: row.created_at,
  expired_time: row.expires_at,
})

type Decision = Pick<DeviceCodeRow, 'decision' | 'token_name' | 'token_group'>

/** Decides a code, and logs a program that was let in. */
async function decide(code: string, decision: Decision, context: CodeContext): Promise<void> {
  const { address } = await findCode(code, context)
  const { db, caller, requestId } = context
  await inTransaction(db, async tx => {
    const isDecided = await decideCode(
      tx,
      hashCode(code, context),
      { ...decision, user_id: caller.id },
      nowSeconds(),
    )
    if (!isDecided) throw deviceError('unknown_code')
    if (decision.decision !== 'approved') return
    await insertEventLog(tx, {
      type: LOG_TYPE.management,
      userId: caller.id,
      username: caller.username,
      content: {
        zh: `允许来自 ${address} 的程序登录，令牌名称：${decision.token_name}`,
        en: `Let a program at ${address} sign in; its token is named ${decision.token_name}`,
      },
      requestId,
    })
  })
}

export const feature = defineFeature({
  options,
  on: {
    async credentialsChanged(tx, userId) {
      const ids = await deleteDeviceSignInsOfUser(tx, userId)
      if (ids.length > 0) await deleteTokens(tx, { owner: { id: userId }, ids }, nowSeconds())
    },
  },
  migrations: [deviceSignIns],
  start: services => ({
    routes,
    plainRoutes: createDeviceSignIns(services),
    isRelayPath: path => isSettingsPath(path, services),
  }),
})
