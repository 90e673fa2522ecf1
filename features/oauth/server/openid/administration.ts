import type { ApiContext } from '#server/api/context.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { randomAlphanumeric } from '#server/core/ids.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import type { OpenIdProviderSettings, OpenIdProvider as OpenIdProviderView } from '../../contract/openid.ts'
import { openIdError } from './errors.ts'
import { hashScimToken, requireAddress, toProvider, toProviderColumns, toProviderView } from './provider.ts'
import {
  countIdentities,
  deleteProvider,
  findProvider,
  insertProvider,
  listProviders,
  PROVIDERS_MAX,
  updateProvider,
} from './queries.ts'
import { type OpenIdContext, reasonOf } from './sign-in.ts'
import type { OpenIdProviderTable } from './tables.ts'

const SCIM_TOKEN_CHARS = 43

/** All providers, with the addresses to register at each. */
export async function listProviderViews(
  context: Pick<ApiContext, 'db' | 'secrets' | 'settings'>,
): Promise<OpenIdProviderView[]> {
  const { db, secrets, settings } = context
  const users = await countIdentities(db)
  const { ServerAddress } = settings.current().values
  return (await listProviders(db)).map(row =>
    toProviderView(toProvider(row, secrets), users.get(row.slug) ?? 0, ServerAddress),
  )
}

/** Adds a provider whose configuration can be read. Throws `openid.slug_taken` and `openid.not_discovered`. */
export async function createProvider(
  slug: string,
  settings: OpenIdProviderSettings,
  context: OpenIdContext,
): Promise<OpenIdProviderView> {
  const { db, secrets } = context
  requireAddress(context)
  if ((await listProviders(db)).length >= PROVIDERS_MAX) throw openIdError('too_many', { max: PROVIDERS_MAX })
  const now = nowSeconds()
  const row: OpenIdProviderTable = {
    slug,
    client_secret_sealed: '',
    scim_token_hash: '',
    ...toProviderColumns(settings, secrets),
    created_at: now,
    updated_at: now,
  }
  await discover(row, context)
  if (!(await insertProvider(db, row))) throw openIdError('slug_taken')
  return viewOf(row, 0, context)
}

/** Changes a provider. Throws `openid.in_use` where other people would become the same users. */
export async function saveProvider(
  slug: string,
  settings: OpenIdProviderSettings,
  context: OpenIdContext,
): Promise<OpenIdProviderView> {
  const { db, secrets } = context
  const stored = await findProvider(db, slug)
  if (!stored) throw openIdError('unknown')
  const users = (await countIdentities(db)).get(slug) ?? 0
  const isOther = stored.issuer !== settings.issuer || stored.client_id !== settings.client_id
  if (users > 0 && isOther) throw openIdError('in_use')
  const values = {
    ...toProviderColumns(settings, secrets),
    updated_at: Math.max(nowSeconds(), stored.updated_at + 1),
  }
  const row = { ...stored, ...values }
  await discover(row, context)
  await updateProvider(db, slug, values)
  return viewOf(row, users, context)
}

/** Makes the bearer token with which the provider calls by SCIM, in place of the former one. */
export async function issueScimToken(
  slug: string,
  { db, secrets }: Pick<ApiContext, 'db' | 'secrets'>,
): Promise<string> {
  if (!(await findProvider(db, slug))) throw openIdError('unknown')
  const token = `scim_${randomAlphanumeric(SCIM_TOKEN_CHARS)}`
  await updateProvider(db, slug, { scim_token_hash: hashScimToken(secrets, token) })
  return token
}

/** Deletes a provider and whom its subjects were. */
export async function deleteWithUsers(slug: string, { db }: Pick<ApiContext, 'db'>): Promise<void> {
  const isDeleted = await inTransaction(db, tx => deleteProvider(tx, slug))
  if (!isDeleted) throw openIdError('unknown')
}

const viewOf = (row: OpenIdProviderTable, users: number, context: OpenIdContext): OpenIdProviderView =>
  toProviderView(toProvider(row, context.secrets), users, requireAddress(context))

async function discover(row: OpenIdProviderTable, { openId, secrets }: OpenIdContext): Promise<void> {
  try {
    await openId.discover(toProvider(row, secrets))
  } catch (error) {
    throw openIdError('not_discovered', { issuer: row.issuer, reason: reasonOf(error) })
  }
}
