import { ChannelFields } from './entities/channels/channel-fields.ts'
import { TokenFields } from './entities/token-fields.ts'
import { UserFields } from './entities/user-fields.ts'

/** A kind of record whose changes the audit log shows, as its table has it. */
export interface AuditedRecord {
  /** Stored with every row of the log. */
  readonly kind: string
  readonly table: string
  /** The column that identifies a record. */
  readonly key: string
  readonly columns: readonly string[]
  /** Columns whose contents the log must not keep: it only shows that they changed. */
  readonly secrets: readonly string[]
  /** Columns that requests change at any time: shown only when a call sets them. */
  readonly counters: readonly string[]
  /** The column of the time of its creation, which tells what a call has created. */
  readonly createdAt?: string
}

/** Declares a kind of record. Its secrets and counters are none unless it says so. */
export const auditedRecord = (
  kind: string,
  table: string,
  definition: Partial<AuditedRecord> & Pick<AuditedRecord, 'columns'>,
): AuditedRecord => ({ kind, table, key: 'id', secrets: [], counters: [], ...definition })

export const RECORDS = {
  user: auditedRecord('user', 'users', {
    createdAt: 'created_at',
    columns: [
      ...Object.keys(UserFields.shape),
      'role',
      'status',
      'email',
      'github_id',
      'linux_do_id',
      'wechat_id',
      'telegram_id',
      'must_change_password',
      'deleted_at',
    ],
    secrets: ['password_hash', 'access_token_hash', 'setting'],
    counters: ['quota'],
  }),
  token: auditedRecord('token', 'tokens', {
    createdAt: 'created_time',
    columns: [...Object.keys(TokenFields.shape), 'user_id', 'status', 'deleted_at'],
    secrets: ['key_hash'],
    counters: ['remain_quota'],
  }),
  channel: auditedRecord('channel', 'channels', {
    createdAt: 'created_time',
    columns: [...Object.keys(ChannelFields.shape), 'status', 'balance', 'stopped_models'],
    secrets: ['key_hash'],
  }),
  redemption: auditedRecord('redemption', 'redemptions', {
    createdAt: 'created_time',
    columns: ['name', 'quota', 'status', 'user_id', 'used_user_id', 'deleted_at'],
    secrets: ['key_hash'],
  }),
  option: auditedRecord('option', 'options', { key: 'key', columns: ['value'] }),
} as const
