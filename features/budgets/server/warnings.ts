import { everyMs, nowSeconds } from '#server/core/clock.ts'
import { errorMessage } from '#server/core/errors.ts'
import { findUser } from '#server/db/accounts/users.ts'
import type { Job, Services } from '#server/feature.ts'
import type { NotifierDeps, UserNotification } from '#server/notifications/send-notification.ts'
import { type BudgetRow, claimWarning, listBudgetsById, listWindows } from './queries/budgets.ts'
import { type budgetExceeded, formatAmount, nameOf, nameOfSubject } from './rejection.ts'
import { usageOf } from './view.ts'
import { windowAt } from './windows.ts'

const CHECK_INTERVAL_MS = 2000
const BATCH_MAX = 200
const PENDING_MAX = 100_000
const PERCENT = 100

type WarningDeps = NotifierDeps & Pick<Services, 'settings' | 'ledger' | 'budgetSubject' | 'events'>

export interface BudgetWarnings {
  /** Checks the budgets that were used since the last check. */
  checkNow(): Promise<void>
  readonly job: Job
}

/**
 * Notifies users once in each window of a budget of which they have used the share at which it warns. The warning is claimed
 * in the database before it is sent, so only one process sends it.
 */
export function createBudgetWarnings(deps: WarningDeps): BudgetWarnings {
  const pending = new Set<number>()
  deps.ledger.onClosed(commands => {
    const used = commands.flatMap(({ kind, hold }) => (kind === 'settle' ? (hold.budgets ?? []) : []))
    for (const { budgetId } of used) if (pending.size < PENDING_MAX) pending.add(budgetId)
  })
  const checkNow = async (): Promise<void> => {
    while (pending.size > 0) {
      const ids = [...pending].slice(0, BATCH_MAX)
      for (const id of ids) pending.delete(id)
      const budgets = await listBudgetsById(deps.db, ids)
      for (const budget of budgets) if (budget.warn_percent > 0) await warnIfDue(budget, deps)
    }
  }
  const checkSafely = () =>
    checkNow().catch(error => deps.log.error('the check of used budgets failed', { error }))
  return {
    checkNow,
    job() {
      const stop = everyMs(CHECK_INTERVAL_MS, checkSafely)
      return async () => {
        await stop()
        await checkSafely()
      }
    },
  }
}

async function warnIfDue(budget: BudgetRow, deps: WarningDeps): Promise<void> {
  const { db, log, settings, budgetSubject } = deps
  try {
    const now = nowSeconds()
    const window = windowAt(budget, now)
    const { used } = usageOf(budget, window, await listWindows(db, [budget.id], window.since))
    if (used * PERCENT < budget.amount * budget.warn_percent) return
    const user = await findUser(db, budget.user_id)
    const notify = user && (await deps.events.notifierOf(user, deps))
    if (!notify || !(await claimWarning(db, budget.id, { since: window.since, now }))) return
    const terms = {
      ...settings.current().values,
      subject: nameOfSubject({ ...budget, kind: user.kind }, budgetSubject),
    }
    await notify(toNotification(budget, used, terms))
  } catch (error) {
    log.warn('a budget warning could not be sent', { budget_id: budget.id, reason: errorMessage(error) })
  }
}

function toNotification(
  budget: BudgetRow,
  used: number,
  format: Parameters<typeof budgetExceeded>[2],
): UserNotification {
  const name = nameOf(budget, format.subject)
  const [spent, most] = [used, budget.amount].map(amount => formatAmount(budget, amount, format))
  return {
    type: 'budget_warning',
    subject: { zh: '预算用量提醒', en: 'Budget warning' },
    text: {
      zh: `${name.zh}为 ${most?.zh}，已使用 ${spent?.zh}（达到 ${budget.warn_percent}% 提醒线）。`,
      en: `Of ${most?.en}, which ${name.en} allows, ${spent?.en} are used: the warning is set at ${budget.warn_percent} %.`,
    },
    values: [spent?.zh ?? '', most?.zh ?? ''],
  }
}
