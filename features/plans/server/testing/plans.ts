import { inTransaction } from '#server/db/engine/database.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import type { TestRelay } from '#server/testing/test-relay.ts'
import { PlanDraft } from '../../contract/plans.ts'
import type { SubscriptionNotifier } from '../notices.ts'
import { addPlan } from '../plans.ts'
import type { SubscriptionRow } from '../queries.ts'
import type { SubscriptionEvent } from '../subscription.ts'
import { changePlan, payNow, startPlan, steer } from '../subscriptions.ts'
import { verifyPlans } from '../verify.ts'

const CAUSE = { actorId: 0, requestId: '' }

/** Plans and subscriptions of the user of a relay. */
export class TestPlans {
  /** What users could be notified of: the id of the subscription, its former state and its state. */
  readonly changes: (readonly [id: number, former: string, state: string])[] = []
  private readonly relay: TestRelay

  constructor(relay: TestRelay) {
    this.relay = relay
  }

  /** A plan of 3,000 units a month that allows 1,000 in five hours, unless it says otherwise. */
  async add(fields: Partial<PlanDraft> = {}): Promise<number> {
    const window = { period: 'rolling', hours: 5, unit: 'quota', amount: 1_000 }
    const plan = PlanDraft.parse({ name: 'Pro', price: 3_000, windows: [window], ...fields })
    return (await addPlan(this.relay.db, plan)).id
  }

  subscribe(planId: number): Promise<SubscriptionRow> {
    const what = { userId: this.relay.userId, planId, zone: 'UTC' }
    return inTransaction(this.relay.db, tx => startPlan(tx, what, this.deps))
  }

  does(id: number, event: SubscriptionEvent): Promise<SubscriptionRow> {
    return inTransaction(this.relay.db, tx => steer(tx, this.own(id), event, this.deps))
  }

  pay(id: number): Promise<SubscriptionRow> {
    return inTransaction(this.relay.db, tx => payNow(tx, this.own(id), this.deps))
  }

  change(id: number, planId: number, from: 'now' | 'renewal' = 'now'): Promise<SubscriptionRow> {
    const change = { planId, from, mayRefund: false }
    return inTransaction(this.relay.db, tx => changePlan(tx, this.own(id), change, this.deps))
  }

  /** The services of the jobs. */
  get deps() {
    const { db, ledger, log } = this.relay.context
    const notify: SubscriptionNotifier = async ({ id, state }, former) => {
      if (state !== former) this.changes.push([id, former, state])
    }
    return { db, ledger, log, cause: CAUSE, notify }
  }

  /** What the books of ledger and plans find wrong. */
  async audit(): Promise<readonly unknown[]> {
    const { findings, requests } = await auditLedger(this.relay.db)
    return [...findings, ...requests, ...(await verifyPlans(this.relay.db)).lines]
  }

  async wallet(): Promise<number> {
    const { quota } = await this.relay.db
      .selectFrom('users')
      .select('quota')
      .where('id', '=', this.relay.userId)
      .executeTakeFirstOrThrow()
    return quota
  }

  private own(id: number) {
    return { id, userId: this.relay.userId }
  }
}
