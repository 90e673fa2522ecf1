import type { ApiContext } from '#server/api/context.ts'
import { handle, handleResult } from '#server/api/handle.ts'
import { nowSeconds } from '#server/core/clock.ts'
import type { AnalyticsFilter } from '#server/db/usage/analytics-source.ts'
import { findRolledUpUntil } from '#server/db/usage/usage-days.ts'
import { defineFeature, type Services } from '#server/feature.ts'
import {
  type AnalyticsQuery,
  exportAnalytics,
  exportSelfAnalytics,
  getAnalytics,
  getSelfAnalytics,
} from '../contract.ts'
import { toReportCsv } from './csv.ts'
import { toOwnReport } from './figures.ts'
import { nameFindersOf } from './queries/names.ts'
import { buildReport } from './report.ts'
import { selectAll, selectOwn, selectPeriod, selectTags } from './selection.ts'

const CSV_GROUPS_MAX = 5000

type Reporting = Pick<ApiContext, 'reader' | 'settings' | 'engine'>
type Filtered = Omit<AnalyticsQuery, 'username' | 'channel' | 'organization'>

/** The reports of a running gateway. */
function createRoutes({ budgetSubject }: Pick<Services, 'budgetSubject'>) {
  const report = async (
    { reader, settings, engine }: Reporting,
    query: Filtered,
    filter: AnalyticsFilter,
  ) => {
    const facts = {
      now: nowSeconds(),
      ownZone: settings.current().values.ReportingTimeZone,
      hoursFrom: await findRolledUpUntil(reader, 'analytics_hours'),
      tags: selectTags(query, engine),
    }
    return buildReport(reader, selectPeriod(query, filter, facts), query, nameFindersOf(budgetSubject))
  }
  const reportAll = async (context: Reporting, query: AnalyticsQuery) =>
    report(context, query, await selectAll(context.reader, query))
  const reportOwn = async (context: Reporting, query: Filtered, userId: number) =>
    report(context, query, await selectOwn(context.reader, query, userId))
  return [
    handle(getAnalytics, ({ query, ...context }) => reportAll(context, query)),
    handle(getSelfAnalytics, async ({ query, caller, ...context }) =>
      toOwnReport(await reportOwn(context, query, caller.id), caller.member !== undefined),
    ),
    handleResult(exportAnalytics, async ({ query, ...context }) => {
      const exported = { ...query, limit: CSV_GROUPS_MAX }
      return toReportCsv(await reportAll(context, exported), exported, 'admin')
    }),
    handleResult(exportSelfAnalytics, async ({ query, caller, ...context }) => {
      const exported = { ...query, limit: CSV_GROUPS_MAX }
      return toReportCsv(await reportOwn(context, exported, caller.id), exported, 'self')
    }),
  ]
}

export const feature = defineFeature({
  verify: async context => (await import('./verify.ts')).verifyAnalytics(context),
  start: services => ({ routes: createRoutes(services) }),
})
