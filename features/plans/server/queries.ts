import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { bulkStatement } from '#server/db/engine/bulk.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { Day } from './period.ts'
import type { SubscriptionState } from './subscription.ts'
import { type PlanTable, type SubscriptionTable, withPlanTables } from './tables.ts'

export type PlanRow = Selectable<PlanTable>
export type SubscriptionRow = Selectable<SubscriptionTable>
export type NamedSubscriptionRow = SubscriptionRow & { readonly username: string | null }

const PLANS_MAX = 500

/** The cheapest first. */
export const listPlanRows = (db: Database, onlyOffered: boolean): Promise<PlanRow[]> =>
  withPlanTables(db)
    .selectFrom('plans')
    .selectAll()
    .$if(onlyOffered, query => query.where('is_offered', '=', 1))
    .orderBy('price')
    .orderBy('id')
    .limit(PLANS_MAX)
    .execute()

export const insertPlan = (db: Database, row: Insertable<PlanTable>): Promise<PlanRow> =>
  withPlanTables(db).insertInto('plans').values(row).returningAll().executeTakeFirstOrThrow()

export const updatePlanRow = (
  db: Database,
  id: number,
  row: Updateable<PlanTable>,
): Promise<PlanRow | undefined> =>
  withPlanTables(db).updateTable('plans').set(row).where('id', '=', id).returningAll().executeTakeFirst()

/** Locks a plan until the transaction ends, so that nobody buys what is being deleted. */
export const lockPlan = (tx: Database, id: number): Promise<PlanRow | undefined> =>
  withPlanTables(tx)
    .updateTable('plans')
    .set(row => ({ is_offered: row.ref('is_offered') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

export const deletePlanRow = (tx: Database, id: number): Promise<unknown> =>
  withPlanTables(tx).deleteFrom('plans').where('id', '=', id).execute()

/** The subscriptions by plan that have not ended, or will be of the plan. */
export async function countSubscribers(db: Database): Promise<ReadonlyMap<number, number>> {
  const rows = await withPlanTables(db)
    .selectFrom('subscriptions')
    .select(row => ['plan_id', row.fn.countAll<number>().as('count')])
    .where('state', '!=', 'ended')
    .groupBy('plan_id')
    .execute()
  return new Map(rows.map(({ plan_id, count }) => [plan_id, Number(count)]))
}

/** How many subscriptions have the plan or change to it. */
export async function countUses(db: Database, planId: number): Promise<number> {
  const row = await withPlanTables(db)
    .selectFrom('subscriptions')
    .select(query => query.fn.countAll<number>().as('count'))
    .where('state', '!=', 'ended')
    .where(query => query.or([query('plan_id', '=', planId), query('next_plan_id', '=', planId)]))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

export const insertSubscription = (
  tx: Database,
  row: Insertable<SubscriptionTable>,
): Promise<SubscriptionRow> =>
  withPlanTables(tx).insertInto('subscriptions').values(row).returningAll().executeTakeFirstOrThrow()

/** Locks a subscription until the transaction ends. */
export const lockSubscription = (tx: Database, id: number): Promise<SubscriptionRow | undefined> =>
  withPlanTables(tx)
    .updateTable('subscriptions')
    .set(row => ({ state: row.ref('state') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

export const updateSubscription = (
  tx: Database,
  id: number,
  row: Updateable<SubscriptionTable>,
): Promise<SubscriptionRow> =>
  withPlanTables(tx)
    .updateTable('subscriptions')
    .set(row)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

const withNames = (db: Database) =>
  withPlanTables(db)
    .selectFrom('subscriptions')
    .leftJoin('users', 'users.id', 'subscriptions.user_id')
    .selectAll('subscriptions')
    .select('users.username')

export const findSubscription = (db: Database, id: number): Promise<NamedSubscriptionRow | undefined> =>
  withNames(db).where('subscriptions.id', '=', id).executeTakeFirst()

const OWN_MAX = 100

/** The newest first. */
export const listSubscriptionsOf = (db: Database, userId: number): Promise<NamedSubscriptionRow[]> =>
  withNames(db)
    .where('subscriptions.user_id', '=', userId)
    .orderBy('subscriptions.id', 'desc')
    .limit(OWN_MAX)
    .execute()

type CoveringRow = Pick<SubscriptionRow, 'user_id' | 'id' | 'allowance'>

/** Those that cover requests of users now, by user, the oldest first. */
export const findCovering = async (db: Database, userIds: readonly number[]) =>
  Map.groupBy(await selectCovering(db, userIds), ({ user_id }) => user_id)

const selectCovering = bulkStatement<number, CoveringRow>({
  text: userIds => `select user_id, id, allowance from subscriptions
    where user_id in (values ${userIds}) and is_covering = 1 order by id`,
  addCells: (userId, cells) => cells.push(userId),
  cellType: 'bigint',
})

export const listDue = (db: Database, now: number, limit: number): Promise<Pick<SubscriptionRow, 'id'>[]> =>
  withPlanTables(db)
    .selectFrom('subscriptions')
    .select('id')
    .where('state', '!=', 'ended')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .execute()

/** Leaves one that could not be brought to today for later. */
export const defer = (db: Database, id: number, due_at: number): Promise<unknown> =>
  withPlanTables(db).updateTable('subscriptions').set({ due_at }).where('id', '=', id).execute()

interface SubscriptionFilter {
  readonly planId: number
  readonly userId: number
  /** Empty: those that have not ended. */
  readonly state: SubscriptionState | ''
}

/** The newest first. */
export async function listSubscriptionRows(
  db: Database,
  { planId, userId, state }: SubscriptionFilter,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ readonly rows: NamedSubscriptionRow[]; readonly total: number }> {
  const matching = withNames(db)
    .$if(planId > 0, query => query.where('plan_id', '=', planId))
    .$if(userId > 0, query => query.where('user_id', '=', userId))
    .where('state', state === '' ? '!=' : '=', state === '' ? 'ended' : state)
  const rows = await matching.orderBy('subscriptions.id', 'desc').offset(offset).limit(limit).execute()
  const { count } = await matching
    .clearSelect()
    .select(query => query.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return { rows, total: Number(count) }
}

export async function addToPlanDay(
  tx: Database,
  { planId, day }: { readonly planId: number; readonly day: Day },
  { paid, earned }: { readonly paid: number; readonly earned: number },
): Promise<void> {
  await withPlanTables(tx)
    .insertInto('plan_days')
    .values({ plan_id: planId, day, paid, earned })
    .onConflict(conflict =>
      conflict.columns(['plan_id', 'day']).doUpdateSet(row => ({
        paid: row('plan_days.paid', '+', paid),
        earned: row('plan_days.earned', '+', earned),
      })),
    )
    .execute()
}

/** The oldest first. */
export async function listPlanDays(db: Database, since: Day) {
  const rows = await withPlanTables(db)
    .selectFrom('plan_days')
    .select(row => ['day', row.fn.sum('paid').as('paid'), row.fn.sum('earned').as('earned')])
    .where('day', '>=', since)
    .groupBy('day')
    .orderBy('day')
    .execute()
  return rows.map(({ day, paid, earned }) => ({ day, paid: Number(paid), earned: Number(earned) }))
}

/** What running subscriptions are and owe. */
export async function sumSubscriptions(db: Database) {
  const row = await withPlanTables(db)
    .selectFrom('subscriptions')
    .select(({ fn, eb }) => [
      fn.sum('is_covering').as('subscribers'),
      fn.sum('owed').as('owed'),
      fn.sum(eb.case().when('state', '=', 'past_due').then(1).else(0).end()).as('past_due'),
    ])
    .where('state', '!=', 'ended')
    .executeTakeFirstOrThrow()
  return {
    subscribers: Number(row.subscribers ?? 0),
    owed: Number(row.owed ?? 0),
    past_due: Number(row.past_due ?? 0),
  }
}

/** Renewals before a second, by the time at which they are due, the soonest first. */
export async function listRenewals(db: Database, until: number) {
  const rows = await withPlanTables(db)
    .selectFrom('subscriptions')
    .select(({ fn }) => ['ends_at', fn.countAll().as('count'), fn.sum('next_price').as('amount')])
    .where('state', 'in', ['trial', 'active'])
    .where('ends_at', '>', 0)
    .where('ends_at', '<', until)
    .groupBy('ends_at')
    .orderBy('ends_at')
    .execute()
  return rows.map(({ ends_at, count, amount }) => ({
    endsAt: ends_at,
    count: Number(count),
    amount: Number(amount),
  }))
}

interface NewCode {
  readonly plan_id: number
  readonly key_hash: string
  readonly created_at: number
}

export const insertCodes = (tx: Database, rows: readonly NewCode[]): Promise<unknown> =>
  withPlanTables(tx)
    .insertInto('plan_codes')
    .values(rows.map(row => ({ ...row, user_id: 0, used_at: 0 })))
    .execute()

/** Claims an unused code for a user. Undefined when there is none: the row decides, not the caller. */
export const claimCode = (
  tx: Database,
  keyHash: string,
  { userId, now }: { readonly userId: number; readonly now: number },
): Promise<{ readonly plan_id: number } | undefined> =>
  withPlanTables(tx)
    .updateTable('plan_codes')
    .set({ user_id: userId, used_at: now })
    .where('key_hash', '=', keyHash)
    .where('user_id', '=', 0)
    .returning('plan_id')
    .executeTakeFirst()

/** The numbers of unused codes by plan. */
export async function countCodes(db: Database): Promise<ReadonlyMap<number, number>> {
  const rows = await withPlanTables(db)
    .selectFrom('plan_codes')
    .select(row => ['plan_id', row.fn.countAll<number>().as('count')])
    .where('user_id', '=', 0)
    .groupBy('plan_id')
    .execute()
  return new Map(rows.map(({ plan_id, count }) => [plan_id, Number(count)]))
}

/** Deletes the unused codes of a plan. */
export const deleteCodes = (tx: Database, planId: number): Promise<unknown> =>
  withPlanTables(tx).deleteFrom('plan_codes').where('plan_id', '=', planId).where('user_id', '=', 0).execute()

export interface PlanOrder {
  readonly user_id: number
  readonly plan_id: number
}

/** Takes the place of an earlier order of the user. */
export const putOrder = (
  tx: Database,
  order: PlanOrder & { readonly created_at: number },
): Promise<unknown> =>
  withPlanTables(tx)
    .insertInto('plan_orders')
    .values(order)
    .onConflict(conflict => conflict.column('user_id').doUpdateSet(order))
    .execute()

/** Orders after a second whose wallet pays for them now, the oldest first. */
export const listPayableOrders = (db: Database, since: number, limit: number): Promise<PlanOrder[]> =>
  withPlanTables(db)
    .selectFrom('plan_orders')
    .innerJoin('plans', 'plans.id', 'plan_orders.plan_id')
    .innerJoin('users', 'users.id', 'plan_orders.user_id')
    .select(['plan_orders.user_id', 'plan_orders.plan_id'])
    .where('plan_orders.created_at', '>', since)
    .whereRef('users.quota', '>=', 'plans.price')
    .orderBy('plan_orders.created_at')
    .limit(limit)
    .execute()

/** Claims an order. False when it is gone, or is for another plan by now. */
export async function takeOrder(tx: Database, { user_id, plan_id }: PlanOrder): Promise<boolean> {
  const { numDeletedRows } = await withPlanTables(tx)
    .deleteFrom('plan_orders')
    .where('user_id', '=', user_id)
    .where('plan_id', '=', plan_id)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

/**
 * Locks the budgets of a subscription until the transaction ends, so that no request takes any of them, and returns what each
 * allows and has left.
 */
export async function lockWindows(tx: Database, subscriptionId: number) {
  const locked = await tx
    .withTables<{
      budgets: { id: number; name: string; amount: number; subject: string; subject_id: number }
    }>()
    .updateTable('budgets')
    .set(row => ({ amount: row.ref('amount') }))
    .where('subject', '=', 'subscription')
    .where('subject_id', '=', subscriptionId)
    .returning(['id', 'name', 'amount'])
    .execute()
  const left = new Map<string, number>()
  for (const { id, name, amount } of locked) {
    const { rows } = await sql<{
      taken: number
    }>`select cast(coalesce(sum(used + held), 0) as bigint) as taken
      from budget_windows where budget_id = ${id}`.execute(tx)
    left.set(name, Math.max(amount - (rows[0]?.taken ?? 0), 0))
  }
  return left
}

/** Accounts whose money for subscriptions does not match the postings. */
export async function findPlanDifferences(tx: Database) {
  const { rows } = await sql<{ owner: number; found: number; expected: number; balance: string }>`
    with posted as (
      select user_id, sum(case when to_account = 'owed' then amount else 0 end)
          - sum(case when kind = 'plan_refund' then amount else 0 end) as paid,
        sum(case when to_account = 'earned' then amount else 0 end) as earned
      from postings where kind in ('plan_payment', 'plan_refund', 'plan_earning') group by user_id
    ), kept as (
      select user_id, sum(paid) as paid, sum(earned) as earned, sum(paid - earned - owed) as lost
      from subscriptions group by user_id
    ), compared as (
      select coalesce(posted.user_id, kept.user_id) as owner, coalesce(posted.paid, 0) as p_paid,
        coalesce(posted.earned, 0) as p_earned, coalesce(kept.paid, 0) as paid, coalesce(kept.earned, 0) as earned,
        coalesce(kept.lost, 0) as lost
      from posted full join kept on kept.user_id = posted.user_id
    )
    select 'subscriptions.paid' as balance, owner, cast(paid as bigint) as found, cast(p_paid as bigint) as expected
      from compared where paid <> p_paid
    union all select 'subscriptions.earned', owner, cast(earned as bigint), cast(p_earned as bigint)
      from compared where earned <> p_earned
    union all select 'paid - earned - owed', owner, cast(lost as bigint), 0 from compared where lost <> 0`.execute(
    tx,
  )
  return rows
}

export const listLives = (
  tx: Database,
): Promise<Pick<SubscriptionRow, 'id' | 'user_id' | 'life' | 'owed' | 'state'>[]> =>
  withPlanTables(tx)
    .selectFrom('subscriptions')
    .select(['id', 'user_id', 'life', 'owed', 'state'])
    .where(row => row.or([row('state', '!=', 'ended'), row('owed', '!=', 0)]))
    .execute()
