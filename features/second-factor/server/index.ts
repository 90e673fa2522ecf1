import * as factors from '#contract/accounts/second-factor.ts'
import { userError } from '#server/accounts/errors.ts'
import { handle } from '#server/api/handle.ts'
import { endAccess } from '#server/db/accounts/sessions.ts'
import { findUser } from '#server/db/accounts/users.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import { defineFeature } from '#server/feature.ts'
import * as endpoints from '../contract.ts'
import { secondFactors } from '../migrations/0060-second-factors.ts'
import { checkFactor } from './check-factor.ts'
import {
  addFactorOfPasskey,
  addUnconfirmedTotp,
  confirmUnconfirmedTotp,
  removeFactorOf,
} from './enrolment.ts'
import { factorError } from './errors.ts'
import { createChallenge, passkeySite, readNewPasskey, requestPasskey } from './passkeys.ts'
import {
  countRecoveryCodes,
  deleteFactorsOfUser,
  type FactorRow,
  listFactorKinds,
  listFactors,
} from './queries.ts'
import { createRecoveryCodes } from './recovery-codes.ts'
import { rootFactors } from './root-factors.ts'
import { completeWithFactor } from './sign-in.ts'

const passkeysOf = (rows: readonly FactorRow[]) => rows.filter(({ kind }) => kind === 'passkey')

const routes = [
  handle(factors.startPasskey, async ({ body, ...context }) => {
    const { caller, session, db } = context
    const userId = body.is_alone ? undefined : caller.id || (await session.findFirstStep())
    return requestPasskey(userId ? passkeysOf(await listFactors(db, userId)) : [], context)
  }),
  handle(factors.signInWithFactor, ({ body, ...context }) => completeWithFactor(body, context)),
  handle(factors.confirmFactor, async ({ body, ...context }) => {
    if (!context.session.exists) throw factorError('no_first_step')
    await checkFactor(context.caller.id, body, context)
    await context.session.confirm('given')
  }),

  handle(endpoints.listOwnFactors, async ({ db, caller, settings }) => ({
    factors: await listViews(db, caller.id),
    recovery_codes_left: await countRecoveryCodes(db, caller.id),
    is_passkey_ready: settings.current().values.ServerAddress !== '',
  })),
  handle(endpoints.startTotp, ({ body, ...context }) => addUnconfirmedTotp(body.name, context)),
  handle(endpoints.confirmTotp, ({ body, ...context }) => confirmUnconfirmedTotp(body.code, context)),
  handle(endpoints.startNewPasskey, async ({ ...context }) => {
    const { id, name } = passkeySite(context)
    const { caller, db } = context
    const known = passkeysOf(await listFactors(db, caller.id))
    const user = await findUser(db, caller.id)
    return {
      challenge: await createChallenge(context),
      rp: { id, name },
      user: {
        id: Buffer.from(String(caller.id)).toString('base64url'),
        name: caller.username,
        displayName: user?.display_name || caller.username,
      },
      excludeCredentials: known.map(factor => ({
        id: factor.credential_id ?? '',
        type: 'public-key' as const,
      })),
    }
  }),
  handle(endpoints.addPasskey, async ({ body: { name, passkey }, ...context }) =>
    addFactorOfPasskey(name, await readNewPasskey(passkey, context), context),
  ),
  handle(endpoints.createOwnRecoveryCodes, async ({ db, caller, secrets }) => {
    if ((await listFactorKinds(db, caller.id)).length === 0) throw factorError('unknown')
    return [...(await inTransaction(db, tx => createRecoveryCodes(tx, caller.id, secrets)))]
  }),
  handle(endpoints.removeOwnFactor, ({ params, caller, db }) => removeFactorOf(caller.id, params.id, db)),

  handle(endpoints.listFactorsOfUser, ({ reader, params }) => listViews(reader, params.id)),
  handle(endpoints.removeFactors, async ({ params, db }) => {
    if (!(await findUser(db, params.id))) throw userError('unknown')
    await inTransaction(db, async tx => {
      await deleteFactorsOfUser(tx, params.id)
      await endAccess(tx, params.id)
    })
  }),
]

const listViews = async (db: Database, userId: number): Promise<endpoints.Factor[]> =>
  (await listFactors(db, userId)).map(({ id, kind, name, created_at, used_at }) => ({
    id,
    kind,
    name,
    created_time: created_at,
    used_time: used_at,
  }))

export const feature = defineFeature({
  migrations: [secondFactors],
  commands: { 'root-factors': rootFactors },
  on: { userDeleted: deleteFactorsOfUser, factorsOf: listFactorKinds },
  start: () => ({ routes }),
})
