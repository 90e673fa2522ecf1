import type { DialectName } from '#server/provider-kit/contract/operation-adapter.ts'
import { interactionsFormat } from './interactions-format.ts'
import { responsesFormat } from './responses-format.ts'
import type { StoredFormat } from './stored-format.ts'

const FORMATS: readonly StoredFormat[] = [responsesFormat, interactionsFormat]

/** Undefined for dialects without stored responses. */
export const findStoredFormat = (dialect: DialectName): StoredFormat | undefined =>
  FORMATS.find(format => format.dialect === dialect)

/** The format of a stored response. */
export const formatOfId = (id: string): StoredFormat =>
  FORMATS.find(format => format.isOwnId(id)) ?? responsesFormat
