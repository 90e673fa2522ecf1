import type { OptionValues } from '#contract/options/system-options.ts'
import type { ApiContext } from '#server/api/context.ts'
import {
  claimUniqueColumn,
  findUserByUniqueColumn,
  type IdentityColumn,
  type UserRow,
} from '#server/db/accounts/users.ts'
import type { Database } from '#server/db/engine/database.ts'
import { oauthError } from './errors.ts'
import type { ProviderIdentity } from './identity-providers.ts'

/** Where the identities of a provider are stored. */
export interface IdentityStore {
  /** The columns of a new user that hold the identity; none where it has a table of its own. */
  columnsOf(identity: ProviderIdentity): Partial<Record<IdentityColumn, string>>
  /** The user who owns an identity, deleted ones included. */
  findOwner(db: Database, identity: ProviderIdentity): Promise<UserRow | undefined>
  /** Assigns an identity to a user. False when another user has it. */
  claim(db: Database, userId: number, identity: ProviderIdentity): Promise<boolean>
}

/** An identity provider that users can sign in with. */
export interface OauthProvider {
  /** Shown in messages and as the default display name. */
  readonly displayName: string
  readonly identities: IdentityStore
  /** Prefix of the user names that are generated for new accounts. */
  readonly usernamePrefix: string
}

/** A provider that options turn on. */
export interface BuiltInProvider extends OauthProvider {
  isEnabled(values: OptionValues): boolean
}

/** Identities in a column of the users. */
const inColumn = (column: IdentityColumn): IdentityStore => ({
  columnsOf: ({ id }) => ({ [column]: id }),
  findOwner: (db, identity) => findColumnOwner(db, column, identity),
  claim: (db, userId, { id }) => claimUniqueColumn(db, userId, column, id),
})

/** Imported accounts may store the provider's user name instead of its id: the next sign-in replaces it. */
async function findColumnOwner(
  db: Database,
  column: IdentityColumn,
  { id, legacyId }: ProviderIdentity,
): Promise<UserRow | undefined> {
  const owner = await findUserByUniqueColumn(db, column, id)
  if (owner || legacyId === undefined || /^\d+$/.test(legacyId)) return owner
  const former = await findUserByUniqueColumn(db, column, legacyId)
  if (former) await claimUniqueColumn(db, former.id, column, id)
  return former && { ...former, [column]: id }
}

export const GITHUB: BuiltInProvider = {
  displayName: 'GitHub',
  identities: inColumn('github_id'),
  usernamePrefix: 'github',
  isEnabled: values => values.GitHubOAuthEnabled,
}
export const LINUXDO: BuiltInProvider = {
  displayName: 'Linux DO',
  identities: inColumn('linux_do_id'),
  usernamePrefix: 'linuxdo',
  isEnabled: values => values.LinuxDOOAuthEnabled,
}
export const WECHAT: BuiltInProvider = {
  displayName: 'WeChat',
  identities: inColumn('wechat_id'),
  usernamePrefix: 'wechat',
  isEnabled: values => values.WeChatAuthEnabled,
}
export const TELEGRAM: BuiltInProvider = {
  displayName: 'Telegram',
  identities: inColumn('telegram_id'),
  usernamePrefix: 'telegram',
  isEnabled: values => values.TelegramOAuthEnabled,
}

/** Returns the current options. Throws `oauth.off` when they disable the provider. */
export function requireEnabled(
  provider: BuiltInProvider,
  { settings }: Pick<ApiContext, 'settings'>,
): OptionValues {
  const { values } = settings.current()
  if (!provider.isEnabled(values)) throw oauthError('off', { provider: provider.displayName })
  return values
}
