import { firstTables } from './0001-first-tables.ts'
import { oneAccountEach } from './0002-one-account-each.ts'
import { tasksInOneTable } from './0004-tasks-in-one-table.ts'
import { rateWindows } from './0005-rate-windows.ts'
import { usageDays } from './0006-usage-days.ts'
import { tokenLimits } from './0007-token-limits.ts'
import { largeLogs } from './0008-large-logs.ts'
import { gatewayDays } from './0009-gateway-days.ts'
import { rollUps } from './0010-roll-ups.ts'
import { accountHandles } from './0011-account-handles.ts'
import { logErrors } from './0012-log-errors.ts'
import { chargeHours } from './0018-charge-hours.ts'
import { analytics } from './0022-analytics.ts'
import { changeNotifications } from './0024-change-notifications.ts'
import { stoppedModels } from './0026-stopped-models.ts'
import { tokenPolicies } from './0027-token-policies.ts'
import { cutHours } from './0031-cut-hours.ts'
import { closings } from './0032-closings.ts'
import { sessionUse } from './0049-session-use.ts'
import { formerTokenKey } from './0053-former-token-key.ts'
import { keptHours } from './0069-kept-hours.ts'
import { budgets } from './0072-budgets.ts'
import { accessTokens } from './0076-access-tokens.ts'
import { handlesOfTokens } from './0086-handles-of-tokens.ts'
import { requestTags } from './0098-request-tags.ts'
import { payingSubscriptions } from './0100-paying-subscriptions.ts'
import { analyticsPlans } from './0111-analytics-plans.ts'
import type { Migration } from './migration.ts'

/** The migrations of the base. A feature has its own. */
export const baseMigrations: readonly Migration[] = [
  firstTables,
  oneAccountEach,
  tasksInOneTable,
  rateWindows,
  usageDays,
  tokenLimits,
  largeLogs,
  gatewayDays,
  rollUps,
  accountHandles,
  logErrors,
  chargeHours,
  analytics,
  changeNotifications,
  stoppedModels,
  tokenPolicies,
  cutHours,
  closings,
  sessionUse,
  formerTokenKey,
  keptHours,
  budgets,
  accessTokens,
  handlesOfTokens,
  requestTags,
  payingSubscriptions,
  analyticsPlans,
]
