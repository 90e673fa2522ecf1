import { z } from 'zod'
import { quota } from '#server/core/money.ts'
import type { CloseCommand } from '#server/ledger/ledger-command.ts'

/** A hold that was closed, with the Unix second of its commit. */
export interface JournalRecord {
  readonly at: number
  readonly command: CloseCommand
}

/** The first line of each file. */
export interface JournalHeader {
  readonly version: 1
  readonly installation: string
}

const Amount = z.int().min(0).transform(quota)
const HoldShape = z.object({
  requestId: z.string(),
  userId: z.int(),
  tokenId: z.int().nullable(),
  isTokenLimited: z.boolean(),
  amount: Amount,
  belongsToTask: z.literal(true).exactOptional(),
  budgets: z
    .array(
      z.object({
        budgetId: z.int(),
        window: z.int(),
        unit: z.enum(['quota', 'tokens', 'requests']),
        amount: z.int(),
      }),
    )
    .exactOptional(),
  paidBy: z.object({ subscriptionId: z.int(), plan: z.string() }).exactOptional(),
})
const EntryShape = z.object({
  username: z.string(),
  tokenName: z.string(),
  modelName: z.string(),
  channelId: z.int(),
  group: z.string(),
  promptTokens: z.number(),
  completionTokens: z.number(),
  useTimeSeconds: z.number(),
  isStream: z.boolean(),
  content: z.string(),
})
const ReceiptShape = z.looseObject({ status: z.number().exactOptional(), code: z.string().exactOptional() })
const RecordShape = z.object({
  at: z.int(),
  command: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('settle'),
      hold: HoldShape,
      bill: z.object({ amount: Amount, entry: EntryShape, receipt: z.record(z.string(), z.unknown()) }),
    }),
    z.object({
      kind: z.literal('release'),
      hold: HoldShape,
      failure: z
        .object({ isRowLogged: z.boolean().exactOptional(), entry: EntryShape, receipt: ReceiptShape })
        .exactOptional(),
    }),
  ]),
})
const HeaderShape = z.object({ version: z.literal(1), installation: z.string() })

/**
 * A line with its checksum. It starts with the line break, so that it is whole even behind one that was cut by a full disk or
 * a crash.
 */
export function toLine(content: JournalRecord | JournalHeader): string {
  const text = JSON.stringify(content)
  return `\n${Bun.hash.crc32(text).toString(16)} ${text}`
}

/** Undefined for a line that was cut or altered. */
export const readHeader = (line: string): JournalHeader | undefined => readLine(line, HeaderShape)
export const readRecord = (line: string): JournalRecord | undefined => readLine(line, RecordShape)

function readLine<Value>(line: string, shape: z.ZodType<Value>): Value | undefined {
  const [, checksum = '', text = ''] = /^([0-9a-f]+) (.*)$/.exec(line) ?? []
  if (Bun.hash.crc32(text).toString(16) !== checksum) return undefined
  return shape.safeParse(JSON.parse(text)).data
}
