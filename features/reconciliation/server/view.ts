import type { DataOf, QueryOf } from '#contract/endpoint.ts'
import type { ApiContext } from '#server/api/context.ts'
import type { Language } from '#server/core/language.ts'
import type { listReconciliations, Reconciliation, ReconciliationSummary } from '../contract.ts'
import { causeText } from './cause-texts.ts'
import { reconciliationError } from './errors.ts'
import {
  countReconciliations,
  findReconciliation,
  listReconciliationRows,
  type ReconciliationRow,
} from './queries/reconciliations.ts'
import type { ReconciliationResult } from './result.ts'

export async function viewReconciliations(
  { p, page_size }: QueryOf<typeof listReconciliations>,
  { db }: Pick<ApiContext, 'db'>,
): Promise<DataOf<typeof listReconciliations>> {
  const rows = await listReconciliationRows(db, { offset: (p - 1) * page_size, limit: page_size })
  return { items: rows.map(toSummary), total: await countReconciliations(db), page: p, page_size }
}

/** Throws `reconciliation.unknown`. */
export async function viewReconciliation(
  id: number,
  { db, language }: { readonly db: ApiContext['db']; readonly language: Language },
): Promise<Reconciliation> {
  const row = await findReconciliation(db, id)
  if (!row) throw reconciliationError('unknown')
  const { total, models, days, causes, balances = null } = parseBody(row.body)
  return {
    ...toSummary(row),
    total,
    models: models.map(model => ({
      ...model,
      requested_as: [...model.requested_as],
      items: [...model.items],
    })),
    days: [...days],
    balances,
    causes: causes.map(cause => ({ code: cause.code, message: causeText(cause)[language] })),
  }
}

const toSummary = ({
  username,
  ...row
}: Omit<ReconciliationRow, 'body'> & { readonly username: string | null }): ReconciliationSummary => ({
  id: row.id,
  created_at: row.created_at,
  user_id: row.user_id,
  username: username ?? '',
  files: JSON.parse(row.files),
  channels: JSON.parse(row.channels),
  start_timestamp: row.start_time,
  end_timestamp: row.end_time,
  billed_nanos: row.billed_nanos,
  computed_nanos: row.computed_nanos,
})

/** Only this resource writes bodies, and a migration would follow a change of their shape. */
const parseBody = (body: string): ReconciliationResult => JSON.parse(body)
