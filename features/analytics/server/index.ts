import type { ApiContext } from '#server/api/context.ts'
import { handle, handleResult } from '#server/api/handle.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { findRolledUpUntil } from '#server/db/usage/usage-days.ts'
import { defineFeature } from '#server/feature.ts'
import {
  type AnalyticsQuery,
  exportAnalytics,
  exportSelfAnalytics,
  getAnalytics,
  getSelfAnalytics,
} from '../contract.ts'
import { toReportCsv } from './csv.ts'
import { toOwnReport } from './figures.ts'
import { buildReport, type ReportQuery } from './report.ts'
import { selectAll, selectOwn, selectPeriod } from './selection.ts'

const CSV_GROUPS_MAX = 5000

type OwnQuery = Omit<AnalyticsQuery, 'username' | 'channel'>

type Reporting = Pick<ApiContext, 'reader' | 'settings'>

const readPeriodFacts = async ({ reader, settings }: Reporting) => ({
  now: nowSeconds(),
  ownZone: settings.current().values.ReportingTimeZone,
  hoursFrom: await findRolledUpUntil(reader, 'analytics_hours'),
})

async function reportAll(context: Reporting, query: AnalyticsQuery, changed: Partial<ReportQuery> = {}) {
  const { reader } = context
  const selection = selectPeriod(query, await selectAll(reader, query), await readPeriodFacts(context))
  const reportQuery: ReportQuery = { ...query, ...changed }
  return { query: reportQuery, report: await buildReport(reader, selection, reportQuery) }
}

async function reportOwn(
  context: Reporting,
  query: OwnQuery,
  userId: number,
  changed: Partial<ReportQuery> = {},
) {
  const { reader } = context
  const selection = selectPeriod(
    query,
    await selectOwn(reader, query, userId),
    await readPeriodFacts(context),
  )
  const reportQuery: ReportQuery = { ...query, ...changed }
  return { query: reportQuery, report: await buildReport(reader, selection, reportQuery) }
}

const routes = [
  handle(getAnalytics, async ({ query, ...context }) => (await reportAll(context, query)).report),
  handle(getSelfAnalytics, async ({ query, caller, ...context }) =>
    toOwnReport((await reportOwn(context, query, caller.id)).report),
  ),
  handleResult(exportAnalytics, async ({ query, ...context }) => {
    const exported = await reportAll(context, query, { limit: CSV_GROUPS_MAX })
    return toReportCsv(exported.report, exported.query, 'admin')
  }),
  handleResult(exportSelfAnalytics, async ({ query, caller, ...context }) => {
    const exported = await reportOwn(context, query, caller.id, { limit: CSV_GROUPS_MAX })
    return toReportCsv(exported.report, exported.query, 'self')
  }),
]

export const feature = defineFeature({
  verify: async context => (await import('./verify.ts')).verifyAnalytics(context),
  start: () => ({ routes }),
})
