import { z } from 'zod'
import { ChannelFields } from '#contract/entities/channels/channel-fields.ts'
import { cellsOf } from '#contract/entities/stored.ts'
import { TokenFields } from '#contract/entities/token-fields.ts'
import { UserRecord } from '#contract/entities/user-fields.ts'
import { Encryption } from './passphrase-cipher.ts'

/** The document of `tollgate export`. Money is in units, times are Unix seconds. docs/reference/export.md describes it. */
export const EXPORT_FORMAT = 'tollgate-export'
export const EXPORT_VERSION = 1

const id = z.int().positive()
const count = z.int()
/** Encrypted texts by name; absent in an export without secrets. */
const EncryptedSecrets = z.record(z.string(), z.string()).optional()

export const ExportHeader = z.object({
  format: z.literal(EXPORT_FORMAT),
  version: z.literal(EXPORT_VERSION),
  created_at: count,
  /** Tells two gateways apart. */
  installation: z.string().min(1),
  /** When the super administrator was created there; null without one. */
  root_created_at: count.nullable(),
  encryption: Encryption.nullable(),
  options: z.array(z.unknown()),
  users: z.array(z.unknown()),
  tokens: z.array(z.unknown()),
  channels: z.array(z.unknown()),
})

export const ExportedOption = z.object({
  key: z.string(),
  value: z.string().optional(),
  secrets: EncryptedSecrets,
})

export const ExportedUser = z.object({
  id,
  ...cellsOf(UserRecord.omit({ must_change_password: true })),
  username: z.string().min(1),
  quota: count,
  notification: z.object({
    notify_type: z.string().optional(),
    quota_warning_threshold: count.optional(),
    notification_email: z.string().optional(),
  }),
  created_at: count,
  last_login_at: count,
  deleted_at: count.nullable(),
  secrets: EncryptedSecrets,
})
export type ExportedUser = z.output<typeof ExportedUser>

export const ExportedToken = z.object({
  id,
  user_id: id,
  ...cellsOf(TokenFields),
  status: count,
  created_time: count,
  accessed_time: count,
  remain_quota: count,
  used_quota: count,
  deleted_at: count.nullable(),
  secrets: EncryptedSecrets,
})
export type ExportedToken = z.output<typeof ExportedToken>

export const ExportedChannel = z.object({
  id,
  ...cellsOf(ChannelFields),
  status: count,
  created_time: count,
  test_time: count,
  response_time: count,
  balance: z.number(),
  balance_updated_time: count,
  used_quota: count,
  other_info: z.string(),
  secrets: EncryptedSecrets,
})
export type ExportedChannel = z.output<typeof ExportedChannel>
