import { handle, handleResult } from '#server/api/handle.ts'
import { nowSeconds } from '#server/core/clock.ts'
import type { Database } from '#server/db/engine/database.ts'
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
import { verifyAnalytics } from './verify.ts'

const CSV_GROUPS_MAX = 5000

type OwnQuery = Omit<AnalyticsQuery, 'username' | 'channel'>

async function reportAll(reader: Database, query: AnalyticsQuery, changed: Partial<ReportQuery> = {}) {
  const selection = selectPeriod(query, await selectAll(reader, query), nowSeconds())
  const reportQuery: ReportQuery = { ...query, ...changed }
  return { query: reportQuery, report: await buildReport(reader, selection, reportQuery) }
}

async function reportOwn(
  reader: Database,
  query: OwnQuery,
  userId: number,
  changed: Partial<ReportQuery> = {},
) {
  const selection = selectPeriod(query, await selectOwn(reader, query, userId), nowSeconds())
  const reportQuery: ReportQuery = { ...query, ...changed }
  return { query: reportQuery, report: await buildReport(reader, selection, reportQuery) }
}

const routes = [
  handle(getAnalytics, async ({ reader, query }) => (await reportAll(reader, query)).report),
  handle(getSelfAnalytics, async ({ reader, query, caller }) =>
    toOwnReport((await reportOwn(reader, query, caller.id)).report),
  ),
  handleResult(exportAnalytics, async ({ reader, query }) => {
    const exported = await reportAll(reader, query, { limit: CSV_GROUPS_MAX })
    return toReportCsv(exported.report, exported.query, 'admin')
  }),
  handleResult(exportSelfAnalytics, async ({ reader, query, caller }) => {
    const exported = await reportOwn(reader, query, caller.id, { limit: CSV_GROUPS_MAX })
    return toReportCsv(exported.report, exported.query, 'self')
  }),
]

export const feature = defineFeature({ verify: verifyAnalytics, start: () => ({ routes }) })
