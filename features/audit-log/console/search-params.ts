import { z } from 'zod'
import { PageSearch } from '#console/app/list/list-search-params.ts'
import { RangeSearch } from '#console/app/time/ranges.ts'

const Text = z.string().catch('').default('')

/** The URL state of the audit log: page, time range, filters, and `row`, the id of the open sheet. */
export const AuditSearch = z.object({
  ...PageSearch,
  ...RangeSearch,
  search: Text,
  actor: Text,
  kind: Text,
  target: Text,
  action: Text,
  row: Text,
})
export type AuditSearch = z.infer<typeof AuditSearch>

export const NO_FILTERS = { search: '', actor: '', kind: '', target: '', action: '' } as const
