import { afterEach, beforeEach, expect, test } from 'bun:test'
import { quota } from '../core/money.ts'
import { inTransaction } from '../db/engine/database.ts'
import { adjustWallet, creditInvitation, setTokenLimit, transferInvitation } from './adjust.ts'
import { auditLedger } from './audit.ts'
import { createToken, createUser, openTestLedger, readToken, readWallet, type TestLedger } from './testing.ts'

let books: TestLedger
let userId = 0
const by = () => ({ userId, actorId: 1, reason: 'because', requestId: 'r1' })

beforeEach(async () => {
  books = await openTestLedger()
  userId = await createUser(books.db, 1000)
})

afterEach(async () => {
  expect((await auditLedger(books.db)).findings).toEqual([])
  await books.close()
})

const postings = () => books.db.selectFrom('postings').selectAll().orderBy('id', 'desc').execute()

test('gives to a wallet and says who, why and in which request', async () => {
  await inTransaction(books.db, tx => adjustWallet(tx, { ...by(), kind: 'code', amount: 500 }))
  expect(await readWallet(books.db, userId)).toMatchObject({ quota: 1500 })
  const [posting] = await postings()
  expect(posting).toMatchObject({
    kind: 'code',
    from_account: 'issued',
    to_account: 'wallet',
    amount: 500,
    user_id: userId,
    actor_id: 1,
    reason: 'because',
    request_id: 'r1',
  })
})

test('takes from a wallet what is there', async () => {
  await inTransaction(books.db, tx => adjustWallet(tx, { ...by(), kind: 'adjustment', amount: -1000 }))
  expect(await readWallet(books.db, userId)).toMatchObject({ quota: 0 })
})

test('refuses to take more than is there and changes nothing', async () => {
  const taking = inTransaction(books.db, tx =>
    adjustWallet(tx, { ...by(), kind: 'adjustment', amount: -1001 }),
  )
  await expect(taking).rejects.toMatchObject({ code: 'ledger.wallet_too_small' })
  expect(await readWallet(books.db, userId)).toMatchObject({ quota: 1000 })
})

test('refuses fractions of a unit', async () => {
  const giving = inTransaction(books.db, tx => adjustWallet(tx, { ...by(), kind: 'gift', amount: 0.5 }))
  await expect(giving).rejects.toBeInstanceOf(RangeError)
})

test('posts the difference when the limit of a token is set', async () => {
  const tokenId = await createToken(books.db, userId, 300)
  await inTransaction(books.db, tx => setTokenLimit(tx, { ...by(), tokenId, remain: quota(120) }))
  expect(await readToken(books.db, tokenId)).toMatchObject({ remain_quota: 120 })
  const [posting] = await postings()
  expect(posting).toMatchObject({
    from_account: 'token',
    to_account: 'limits',
    amount: 180,
    token_id: tokenId,
  })
})

test('keeps invitation earnings apart until they are transferred', async () => {
  await inTransaction(books.db, tx => creditInvitation(tx, { ...by(), amount: quota(700) }))
  expect(await readWallet(books.db, userId)).toMatchObject({ quota: 1000 })
  await inTransaction(books.db, tx => transferInvitation(tx, { ...by(), amount: quota(500) }))
  expect(await readWallet(books.db, userId)).toMatchObject({ quota: 1500 })
  const tooMuch = inTransaction(books.db, tx => transferInvitation(tx, { ...by(), amount: quota(201) }))
  await expect(tooMuch).rejects.toMatchObject({ code: 'ledger.invitation_too_small' })
  const user = await books.db.selectFrom('users').selectAll().executeTakeFirstOrThrow()
  expect(user).toMatchObject({ aff_quota: 200, aff_history_quota: 700 })
})
