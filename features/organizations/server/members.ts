import type { BodyOf, QueryOf } from '#contract/endpoint.ts'
import type { ApiContext } from '#server/api/context.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { findUser, lockUser } from '#server/db/accounts/users.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import type { Ledger } from '#server/ledger/ledger.ts'
import type { NewKey } from '../contract/fields.ts'
import {
  type addMembers,
  type Invitation,
  type listMembers,
  MEMBERS_MAX,
  type Member,
  type updateMember,
} from '../contract/members.ts'
import { requireMayManage, requireMember, requireOtherOwner } from './access.ts'
import { organizationError } from './errors.ts'
import { createInvitationMailer, newInvitation } from './invitations.ts'
import { createKey, type KeyDeps } from './keys.ts'
import { startOfUtcMonth } from './month.ts'
import {
  countMatchingMembers,
  countMembers,
  insertMember,
  listMemberPage,
  lockMember,
  type MemberRow,
  updateMemberRow,
} from './queries/members.ts'
import { readSubjectUse } from './queries/tokens.ts'

export async function listMemberViews(
  { p, page_size, ...query }: QueryOf<typeof listMembers>,
  { reader, caller }: Pick<ApiContext, 'reader' | 'caller'>,
) {
  const filter = { ...query, organizationId: caller.id }
  const page = { offset: (p - 1) * page_size, limit: page_size }
  const rows = await listMemberPage(reader, filter, page)
  const of = { organizationId: caller.id, column: 'member_id', ids: rows.map(({ id }) => id) } as const
  const usage = await readSubjectUse(reader, of, startOfUtcMonth(nowSeconds()))
  const items = rows.map(
    (row): Member => ({
      id: row.id,
      user_id: row.user_id ?? 0,
      username: row.username ?? '',
      name: row.name,
      email: row.email,
      role: row.role,
      status: row.status,
      invited_time: row.invited_until,
      joined_time: row.joined_at,
      ...(usage.get(row.id) ?? { tokens: 0, used_quota: 0 }),
    }),
  )
  return { items, total: await countMatchingMembers(reader, filter), page: p, page_size }
}

type AddDeps = Omit<KeyDeps, 'db'> & Pick<ApiContext, 'db' | 'mailer' | 'language'>

/** Adds people: all, each with its cap and token, or none. Invitations are mailed once they are stored. */
export async function addPeople(
  body: BodyOf<typeof addMembers>,
  context: AddDeps,
  ledger: Ledger,
): Promise<Invitation[]> {
  const { people, role } = body
  const { caller } = context
  requireMayManage(role, caller)
  requireMember(caller)
  const mail = createInvitationMailer(context)
  mail.requireFor(people)
  const { organization, added } = await inTransaction(context.db, async db => {
    const account = await lockUser(db, caller.id)
    if ((await countMembers(db, caller.id)) + people.length > MEMBERS_MAX)
      throw organizationError('too_many_members', { count: MEMBERS_MAX })
    const invitations: Invitation[] = []
    for (const person of people)
      invitations.push(await addPerson({ ...body, person }, { ...context, db }, ledger))
    return { organization: account?.display_name ?? '', added: invitations }
  })
  for (const [index, { invitation: secret }] of added.entries())
    mail.send({ email: people[index]?.email ?? '', secret, organization })
  return added
}

type Addition = BodyOf<typeof addMembers> & { readonly person: BodyOf<typeof addMembers>['people'][number] }

async function addPerson(
  { person, role, monthly_quota, has_token }: Addition,
  context: KeyDeps,
  ledger: Ledger,
): Promise<Invitation> {
  const { db: tx, caller, secrets } = context
  const { secret, columns } = newInvitation(secrets)
  const { name, email } = person
  const id = await insertMember(tx, {
    organization_id: caller.id,
    user_id: null,
    name,
    email,
    role,
    status: 'invited',
    created_at: nowSeconds(),
    ...columns,
  })
  if (monthly_quota > 0)
    await ledger
      .budgetRules()
      .put(tx, { kind: 'member', id, userId: caller.id }, [
        { name: '', unit: 'quota', amount: monthly_quota, period: 'month', isManaged: false },
      ])
  const token = has_token ? await createKey({ name, memberId: id }, context) : null
  return { id, name, invitation: secret, token }
}

export function changeMember(
  id: number,
  change: BodyOf<typeof updateMember>,
  { db, caller }: Pick<ApiContext, 'db' | 'caller'>,
): Promise<void> {
  return inTransaction(db, async tx => {
    await lockUser(tx, caller.id)
    const member = await getMember(tx, id, caller)
    requireMayManage(member.role, caller)
    if (change.role && change.role !== member.role) {
      requireMayManage(change.role, caller)
      await requireOtherOwner(tx, member)
    }
    if (Object.keys(change).length > 0) await updateMemberRow(tx, id, change)
  })
}

export function replaceInvitationOf(
  id: number,
  context: Pick<ApiContext, 'db' | 'caller' | 'secrets' | 'mailer' | 'settings' | 'language'>,
): Promise<Invitation> {
  const { db, caller, secrets } = context
  const mail = createInvitationMailer(context)
  return inTransaction(db, async tx => {
    const member = await getMember(tx, id, caller)
    requireMayManage(member.role, caller)
    if (member.status !== 'invited') throw organizationError('has_joined')
    mail.requireFor([member])
    const { secret, columns } = newInvitation(secrets)
    await updateMemberRow(tx, id, columns)
    const account = await findUser(tx, caller.id)
    mail.send({ email: member.email, secret, organization: account?.display_name ?? '' })
    return { id, name: member.name, invitation: secret, token: null }
  })
}

export const createMemberKey = (id: number, name: string, context: KeyDeps): Promise<NewKey> =>
  inTransaction(context.db, async db => {
    await getMember(db, id, context.caller)
    return createKey({ name, memberId: id }, { ...context, db })
  })

/** A member of the caller's organisation, locked. Throws for those that have ended. */
export async function getMember(tx: Database, id: number, caller: ApiContext['caller']): Promise<MemberRow> {
  requireMember(caller)
  const member = await lockMember(tx, { organizationId: caller.id, id })
  if (!member) throw organizationError('unknown_member')
  return member
}
