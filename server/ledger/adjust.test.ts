import { afterEach, beforeEach, expect, test } from 'bun:test'
import { toStoredText } from '../core/language.ts'
import { quota } from '../core/money.ts'
import { inTransaction } from '../db/engine/database.ts'
import { adjustWallet, creditInvitation, setTokenLimit, transferInvitation } from './adjust.ts'
import { auditLedger } from './audit.ts'
import { createToken, createUser, openTestLedger, readToken, readWallet, type TestLedger } from './testing.ts'

let fixture: TestLedger
let userId = 0
const cause = () => ({ userId, actorId: 1, reason: { zh: '原因', en: 'because' }, requestId: 'r1' })

beforeEach(async () => {
  fixture = await openTestLedger()
  userId = await createUser(fixture.db, 1000)
})

afterEach(async () => {
  expect((await auditLedger(fixture.db)).findings).toEqual([])
  await fixture.close()
})

const postings = () => fixture.db.selectFrom('postings').selectAll().orderBy('id', 'desc').execute()

test('adds to a wallet and posts the actor, the reason and the request', async () => {
  await inTransaction(fixture.db, tx => adjustWallet(tx, { ...cause(), kind: 'code', amount: 500 }))
  expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 1500 })
  const [posting] = await postings()
  expect(posting).toMatchObject({
    kind: 'code',
    from_account: 'issued',
    to_account: 'wallet',
    amount: 500,
    user_id: userId,
    actor_id: 1,
    reason: toStoredText({ zh: '原因', en: 'because' }),
    request_id: 'r1',
  })
})

test('takes the whole balance of a wallet', async () => {
  await inTransaction(fixture.db, tx => adjustWallet(tx, { ...cause(), kind: 'adjustment', amount: -1000 }))
  expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 0 })
})

test('rejects taking more than the balance and changes nothing', async () => {
  const taking = inTransaction(fixture.db, tx =>
    adjustWallet(tx, { ...cause(), kind: 'adjustment', amount: -1001 }),
  )
  await expect(taking).rejects.toMatchObject({ code: 'ledger.wallet_too_small' })
  expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 1000 })
})

test('rejects fractions of a unit', async () => {
  const giving = inTransaction(fixture.db, tx => adjustWallet(tx, { ...cause(), kind: 'gift', amount: 0.5 }))
  await expect(giving).rejects.toBeInstanceOf(RangeError)
})

test('posts the difference when the limit of a token is set', async () => {
  const tokenId = await createToken(fixture.db, userId, 300)
  await inTransaction(fixture.db, tx => setTokenLimit(tx, { ...cause(), tokenId, remain: quota(120) }))
  expect(await readToken(fixture.db, tokenId)).toMatchObject({ remain_quota: 120 })
  const [posting] = await postings()
  expect(posting).toMatchObject({
    from_account: 'token',
    to_account: 'limits',
    amount: 180,
    token_id: tokenId,
  })
})

test('keeps invitation earnings out of the wallet until they are transferred', async () => {
  await inTransaction(fixture.db, tx => creditInvitation(tx, { ...cause(), amount: quota(700) }))
  expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 1000 })
  await inTransaction(fixture.db, tx => transferInvitation(tx, { ...cause(), amount: quota(500) }))
  expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 1500 })
  const tooMuch = inTransaction(fixture.db, tx => transferInvitation(tx, { ...cause(), amount: quota(201) }))
  await expect(tooMuch).rejects.toMatchObject({ code: 'ledger.invitation_too_small' })
  const user = await fixture.db.selectFrom('users').selectAll().executeTakeFirstOrThrow()
  expect(user).toMatchObject({ aff_quota: 200, aff_history_quota: 700 })
})
