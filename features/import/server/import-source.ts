import type { ModelKind } from '#contract/catalogue/model-kinds.ts'
import type { ChannelFields } from '#contract/entities/channels/channel-fields.ts'
import type { GivenCells } from '#contract/entities/stored.ts'
import type { TokenFields } from '#contract/entities/token-fields.ts'
import type { UserRecord } from '#contract/entities/user-fields.ts'
import type { TokenKey } from '#server/core/crypto.ts'
import type { TokenUsage } from '#server/core/usage.ts'
import type { RequestLogRow } from '#server/db/logs/log-writes.ts'
import type { SourceDatabase, SourcePage, SourceRow, SourceValue } from './queries/source-database.ts'

/** Another gateway whose data can be imported: a folder of `sources` with a manifest. */
export interface ImportSource {
  /** Reads a file that is no database, as tables; undefined when it is not one of this program. Throws an Error for people. */
  openFile?(path: string): SourceDatabase | undefined
  /** What the tables say about the program behind them; undefined when it is another one. */
  recognize(tables: SourceDatabase['tables']): RecognizedProgram | undefined
  /** Reads what all tables depend on. Throws an Error for people when a key or a setting is missing. */
  open(database: SourceDatabase, program: string, options: SourceOptions): Promise<SourceReaders>
}

export interface RecognizedProgram {
  /** As its users call it. */
  readonly program: string
  /** Tables and columns that it must have and that are missing: half a database, or an unknown version. */
  readonly missing: readonly string[]
}

export interface SourceOptions {
  /** The key with which the source encrypts its secrets. */
  readonly saltKey: string | undefined
  /** The passphrase of an export of Tollgate. */
  readonly passphrase: string | undefined
  /** A variable of the environment, to which settings of the source may refer. */
  readonly variable: (name: string) => string | undefined
  /** The models that a new channel of a type is offered. */
  readonly modelsOf: (type: number) => readonly string[]
  /** Whether channels of a type serve models of a kind. */
  readonly serves: (type: number, kind: ModelKind) => boolean
}

/** What a source can tell, by kind. An absent reader means that it has no such rows. */
export interface SourceReaders {
  /** Tells two installations of the same program apart, and stays the same between two imports. */
  readonly identity: string
  /** The Tollgate that made an export, which must not come into the database that it is of. */
  readonly origin?: { readonly installation: string; readonly rootCreatedAt: number | null }
  /** What the import does not bring at all, for the report. */
  readonly remarks: readonly string[]
  readonly options?: TableReaders<ImportedOption>
  readonly users?: TableReaders<ImportedUser>
  readonly tokens?: TableReaders<ImportedToken>
  readonly channels?: TableReaders<ImportedChannel>
  readonly redemptions?: TableReaders<ImportedRedemption>
  readonly drawings?: TableReaders<ImportedTask>
  readonly tasks?: TableReaders<ImportedTask>
  readonly logs?: LogReader
}

export type ImportKind = Exclude<keyof SourceReaders, 'identity' | 'origin' | 'remarks'>

/** Tables whose rows become rows of one kind, in the order in which they are read. */
type TableReaders<Imported> = readonly TableReader<Imported>[]

export interface TableReader<Imported> {
  readonly table: string
  /** Tells rows of further tables of a kind from those of its first. */
  readonly idPrefix?: string
  /** The rows in the order of their keys, where the source does not read them from a table. */
  readonly rows?: readonly SourceRow[]
  /** A unique column by which the table is read in order. */
  readonly key: string
  /** How a person finds the row, such as its name. Never a secret. */
  readonly label: (row: SourceRow) => string
  readonly read: (row: SourceRow) => Reading<Imported>
}

export interface LogReader extends TableReader<ImportedLog> {
  /** Newer rows have higher keys, which are numbers: how far they came is one number, not a row for each. */
  readonly isNumbered: boolean
  /** The tokens of a row in buckets that do not overlap, as far as they were recorded there; undefined for a task. */
  readonly usage: (row: SourceRow) => Partial<TokenUsage> | undefined
  /** Limits the rows to those since a time. */
  readonly since: (seconds: number) => NonNullable<SourcePage['from']>
}

/** A row in the terms of this gateway, with what the operator should look at, or why it does not come. */
export type Reading<Imported> =
  | { readonly record: Imported; readonly notes: readonly string[] }
  | { readonly skip: string; readonly questions?: readonly string[] }

interface WithOriginalId {
  /** The id there, which is kept where it is free; undefined where ids are not numbers. */
  readonly originalId: number | undefined
}

export interface ImportedUser
  extends WithOriginalId,
    Omit<GivenCells<typeof UserRecord.shape>, 'inviter_id' | 'must_change_password'> {
  readonly password_hash: string
  /** In clear; empty for none. */
  readonly accessToken: string
  readonly quota: number
  /** The inviter's id there; undefined for none. */
  readonly inviter: SourceValue | undefined
  readonly notification: ImportedNotification
  readonly created_at: number
  readonly last_login_at: number
  readonly deleted_at: number | null
}

/** How the user wants to be warned. The address and the secret of a webhook are in clear. */
export type ImportedNotification = Readonly<
  Partial<
    Record<'notify_type' | 'webhook_url' | 'webhook_secret' | 'notification_email', string> &
      Record<'quota_warning_threshold', number>
  >
>

/** The super administrator of this gateway, who is made where there is none yet. */
export const ROOT = Symbol('root')

export interface ImportedToken extends WithOriginalId, GivenCells<typeof TokenFields.shape> {
  /** The owner's id there. */
  readonly owner: SourceValue | typeof ROOT
  /** The key as clients send it, without `sk-`; or the SHA-256 of the whole key where the source has nothing else. */
  readonly key: TokenKey
  readonly status: number
  readonly created_time: number
  readonly accessed_time: number
  readonly remain_quota: number
  readonly used_quota: number
  readonly deleted_at: number | null
}

export interface ImportedChannel extends WithOriginalId, GivenCells<typeof ChannelFields.shape> {
  readonly key: string
  readonly status: number
  readonly created_time: number
  readonly test_time: number
  readonly response_time: number
  readonly balance: number
  readonly balance_updated_time: number
  readonly used_quota: number
  readonly other_info: string
}

export interface ImportedRedemption extends WithOriginalId {
  /** The id there of the user who made the code. */
  readonly owner: SourceValue
  /** The code that a user types. */
  readonly key: string
  readonly status: number
  readonly name: string
  readonly quota: number
  readonly created_time: number
  readonly redeemed_time: number
  /** The id there of the user who used it; undefined for nobody. */
  readonly usedBy: SourceValue | undefined
  readonly deleted_at: number | null
}

export interface ImportedOption {
  readonly key: string
  readonly value: string
  /** The value is a JSON object whose members are added to those that are set here, none of which changes. */
  readonly isAddition?: true
}

export interface ImportedTask extends WithOriginalId {
  readonly platform: string
  readonly task_id: string
  readonly owner: SourceValue
  readonly channel: SourceValue
  readonly action: string
  readonly code: number
  readonly prompt: string
  readonly outcome: 'succeeded' | 'failed'
  readonly status: string
  readonly progress: string
  readonly fail_reason: string
  readonly detail: string
  readonly quota: number
  readonly submit_time_ms: number
  readonly start_time_ms: number
  readonly finish_time_ms: number
}

export interface ImportedLog
  extends Omit<RequestLogRow, 'request_id' | 'user_id' | 'token_id' | 'channel_id' | 'type'> {
  /** The row's key there. */
  readonly number: number | string
  readonly owner: SourceValue
  readonly channel: SourceValue
  readonly token: SourceValue
  readonly type: number
}
