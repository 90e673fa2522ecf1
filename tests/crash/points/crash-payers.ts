import { createBudget } from '#features/budgets/contract.ts'
import { addMembers } from '#features/organizations/contract/members.ts'
import { createOrganization } from '#features/organizations/contract/organizations.ts'
import { createProject, createProjectToken } from '#features/organizations/contract/projects.ts'
import { createPlan } from '#features/plans/contract/plans.ts'
import { subscribe } from '#features/plans/contract/subscriptions.ts'
import { updateUser } from '#features/users/contract.ts'
import { addUser } from '../../harness/add-user.ts'
import { type AdminClient, resume } from '../../harness/api-client.ts'
import { addToken } from '../../harness/lab-channel.ts'
import type { RunningGateway } from '../../harness/start-gateway.ts'

const DOLLAR = 500_000
const ENOUGH = 800 * DOLLAR
/** After so many requests in a day the wallet of a subscriber pays, so that both are killed. */
const PLAN_REQUESTS = 20
const ROLLING = { period: 'rolling', hours: 5 } as const

interface PayersInput {
  readonly gateway: RunningGateway
  readonly root: AdminClient
}

/** A token of a member in a project: organisation, member and project bound it in windows. Returns its key. */
export async function addMemberKey({ gateway, root }: PayersInput): Promise<string> {
  const person = await addUser(gateway, { username: 'owner', wallet: 0 })
  const { id } = await person.call(createOrganization, { body: { name: 'Team' } })
  await root.call(updateUser, { body: { id, quota: 1000 * DOLLAR } })
  const owner = resume(gateway.url, { ...person, organization: id })
  const people = [{ name: 'ben' }]
  const [member] = await owner.call(addMembers, { body: { people, monthly_quota: ENOUGH } })
  const project = await owner.call(createProject, { body: { name: 'Course' } })
  const windows = [
    { subject: 'project', subject_id: project.id, amount: ENOUGH, ...ROLLING },
    { subject: 'project', subject_id: project.id, amount: 1_000_000, unit: 'requests', period: 'day' },
  ]
  for (const body of windows) await owner.call(createBudget, { body })
  const ofTeam = { subject: 'user', subject_id: id, unit: 'tokens', amount: 1_000_000_000, period: 'hour' }
  await root.call(createBudget, { body: ofTeam })
  const body = { name: 'ben', member_id: member?.id ?? 0 }
  return (await owner.call(createProjectToken, { params: { id: project.id }, body })).key
}

/** A token of a user whose plan covers some requests. Returns its key. */
export async function addSubscriberKey({ gateway, root }: PayersInput): Promise<string> {
  const subscriber = await addUser(gateway, { username: 'bea', wallet: 1000 * DOLLAR })
  const windows = [
    { ...ROLLING, unit: 'quota', amount: ENOUGH },
    { period: 'day', unit: 'requests', amount: PLAN_REQUESTS },
    { period: 'term', unit: 'tokens', amount: 1_000_000_000 },
  ]
  const plan = { name: 'Pro', price: 30 * DOLLAR, windows, when_used_up: 'wallet' }
  const { id } = await root.call(createPlan, { body: plan })
  await subscriber.call(subscribe, { body: { plan_id: id } })
  return (await addToken(subscriber)).key
}
